package io.brain.backend.fair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FairLimitTest {
    private static final Tenant GREEDY = Tenant.user("greedy");
    private static final Tenant OTHER = Tenant.user("other");

    private final FairLimit limit = new FairLimit(100, 1000);

    @Test
    void oneTenantHoldsAtMostAHalf() {
        assertThat(fill(GREEDY, 0)).isEqualTo(50);
        assertThat(limit.count()).isEqualTo(50);
        limit.leave(GREEDY, 0);
        assertThat(fill(GREEDY, 0)).isEqualTo(1);
    }

    @Test
    void aNewTenantIsAdmittedBesideGreedyOnes() {
        List<Tenant> greedy = List.of(GREEDY, Tenant.user("b"), Tenant.user("c"));
        greedy.forEach(tenant -> fill(tenant, 0));
        assertThat(limit.enter(OTHER, 0)).isTrue();
    }

    @Test
    void theSharesBecomeEqualAsRequestsEnd() {
        int first = fill(GREEDY, 0);
        int second = fill(OTHER, 0);
        for (int i = 0; i < 1000; i++) {
            limit.leave(GREEDY, 0);
            second += limit.enter(OTHER, 0) ? 1 : 0;
            first += limit.enter(GREEDY, 0) ? 0 : -1;
        }
        assertThat(first).isBetween(33, 34);
        assertThat(second).isBetween(33, 34);
    }

    @Test
    void bytesAreSharedAsWell() {
        assertThat(fill(GREEDY, 100)).isEqualTo(5);
        assertThat(limit.enter(OTHER, 300)).isTrue();
        assertThat(limit.enter(OTHER, 300)).isFalse();
        assertThat(limit.bytes()).isEqualTo(800);
    }

    @Test
    void theServerIsLimitedByTheTotalsAlone() {
        assertThat(fill(Tenant.SERVER, 0)).isEqualTo(100);
        assertThat(limit.enter(OTHER, 0)).isFalse();
    }

    @Test
    void aRequestThatIsAloneIsAdmitted() {
        assertThat(limit.enter(GREEDY, 5000)).isTrue();
        assertThat(limit.enter(OTHER, 1)).isFalse();
        limit.leave(GREEDY, 5000);
        assertThat(limit.enter(OTHER, 5000)).isTrue();
    }

    @Test
    void aRequestWithoutBytesIsLimitedByNumberAlone() {
        assertThat(limit.enter(GREEDY, 5000)).isTrue();
        assertThat(fill(GREEDY, 0)).isEqualTo(49);
        assertThat(limit.enter(OTHER, 0)).isTrue();
        assertThat(limit.enter(Tenant.SERVER, 0)).isTrue();
    }

    @Test
    void aRefusedRequestHoldsNothing() {
        fill(GREEDY, 10);
        assertThat(limit.enter(GREEDY, 10)).isFalse();
        for (int i = 0; i < 50; i++) {
            limit.leave(GREEDY, 10);
        }
        assertThat(limit.count()).isZero();
        assertThat(limit.bytes()).isZero();
    }

    /** Enters until the limit refuses; returns how often it admitted. */
    private int fill(Tenant tenant, long bytes) {
        int admitted = 0;
        while (limit.enter(tenant, bytes)) {
            admitted++;
        }
        return admitted;
    }
}
