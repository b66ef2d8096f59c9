package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.TtlRules.Rule;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random writes, deletes, restarts and pauses, compared with a map of deadlines. */
class TtlModelTest {
    private static final int STEPS = 10_000;
    private static final List<String> SEGMENTS = List.of("events", "registry", "a", "b", "eventsx");

    /** Time after a deadline at which a key may still exist. */
    private static final long LATE_MILLIS = 1500;

    /** Time at which a key without a rule expires. */
    private static final long NEVER = Long.MAX_VALUE;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void keysExistUntilTheirDeadline(long seed) {
        Random random = new Random(seed);
        TtlFixture ttl =
                new TtlFixture(
                        seed,
                        """
                        /registry/events/a/* = 20s
                        /registry/events/** = 60s
                        /*/events = 7s
                        /a/b/** = 300s
                        """);
        NodeFixture node = ttl.node.open();
        Map<String, Long> deadlines = new TreeMap<>();
        int expired = 0;
        for (int step = 0; step < STEPS; step++) {
            String key = path(random);
            int choice = random.nextInt(1000);
            if (choice < 800) {
                node.put(key, "v" + step);
                Rule rule = ttl.rules().find(Bytes.utf8(key));
                deadlines.put(key, rule == null ? NEVER : now(node) + rule.ttl().toMillis());
            } else if (choice < 900) {
                node.delete(key);
                deadlines.remove(key);
            } else if (choice < 998) {
                node.advance(Duration.ofMillis(random.nextInt(2000)));
                Set<String> gone = check(node, deadlines);
                expired += gone.size();
                gone.forEach(deadlines::remove);
            } else {
                node.crash();
            }
        }
        node.advance(Duration.ofMinutes(6));
        check(node, deadlines).forEach(deadlines::remove);
        assertThat(deadlines.values()).isNotEmpty().containsOnly(NEVER);
        assertThat(ttl.records()).isEmpty();
        assertThat(expired).isGreaterThan(100);
    }

    /** Checks the existing keys; returns those that have expired. */
    private static Set<String> check(NodeFixture node, Map<String, Long> deadlines) {
        long now = now(node);
        Set<String> gone = new TreeSet<>(deadlines.keySet());
        node.range(RangeQuery.of(new KeySpan(Bytes.utf8("/"), Bytes.utf8("0"), false)))
                .kvs()
                .forEach(
                        kv -> {
                            String key = text(KeyValue.decode(kv).key());
                            assertThat(deadlines.get(key))
                                    .as("deadline of %s at %s", key, now)
                                    .isGreaterThan(now - LATE_MILLIS);
                            gone.remove(key);
                        });
        assertThat(gone).allMatch(key -> deadlines.get(key) <= now, "expired by " + now);
        return gone;
    }

    private static long now(NodeFixture node) {
        return Duration.ofNanos(node.simulation.nanos()).toMillis();
    }

    private static String path(Random random) {
        StringBuilder path = new StringBuilder();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            path.append('/').append(SEGMENTS.get(random.nextInt(SEGMENTS.size())));
        }
        return path.toString();
    }

    private static String text(Bytes key) {
        return new String(key.array(), StandardCharsets.UTF_8);
    }
}
