package io.brain.backend.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.fair.Tenant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class FairReadersTest {
    private static final Tenant A = Tenant.user("a");
    private static final Tenant B = Tenant.user("b");

    private final Queue<Runnable> pool = new ArrayDeque<>();
    private final List<String> log = new ArrayList<>();
    private int poolMax = Integer.MAX_VALUE;
    private long nanos;

    private final FairReaders readers =
            new FairReaders(
                    task -> {
                        if (pool.size() == poolMax) {
                            throw new RejectedExecutionException("full");
                        }
                        pool.add(task);
                    },
                    () -> nanos);

    @Test
    void readsRunInTheOrderOfTheirTenantsTime() {
        for (int i = 0; i < 4; i++) {
            execute(A, "a" + i, 30);
        }
        for (int i = 0; i < 4; i++) {
            execute(B, "b" + i, 10);
        }
        runPool();
        assertThat(log).containsExactly("a0", "b0", "b1", "b2", "a1", "b3", "a2", "a3");
    }

    @Test
    void aReadThatThePoolRefusesDoesNotWait() {
        poolMax = 1;
        execute(A, "a", 1);
        assertThatThrownBy(() -> execute(A, "late", 1))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(waiting()).isEqualTo(Map.of(A, 1));
        runPool();
        assertThat(log).containsExactly("a");
        assertThat(waiting()).isEmpty();
    }

    @Test
    void aReadThatFailsIsCharged() {
        readers.of(A)
                .execute(
                        () -> {
                            nanos += 100;
                            throw new IllegalStateException("injected");
                        });
        execute(A, "a", 1);
        execute(B, "b0", 60);
        execute(B, "b1", 60);
        assertThatThrownBy(pool.remove()::run).isInstanceOf(IllegalStateException.class);
        runPool();
        assertThat(log).containsExactly("b0", "b1", "a");
    }

    private void execute(Tenant tenant, String name, long time) {
        readers.of(tenant)
                .execute(
                        () -> {
                            log.add(name);
                            nanos += time;
                        });
    }

    private Map<Tenant, Integer> waiting() {
        Map<Tenant, Integer> numbers = new HashMap<>();
        readers.countWaiting(numbers);
        return numbers;
    }

    private void runPool() {
        while (!pool.isEmpty()) {
            pool.remove().run();
        }
    }
}
