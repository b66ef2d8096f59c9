package io.brain.backend.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.traffic.WriteTraffic.PrefixRate;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WriteTrafficTest {
    private static final long SECOND = 1_000_000_000;

    private long now;
    private long revision = 1;
    private final WriteTraffic traffic = new WriteTraffic(() -> now);

    @Test
    void changesAreCountedPerSecondUnderTheirPrefix() {
        for (int second = 0; second < 300; second++) {
            commit("/registry/pods/a/" + second, "/registry/pods/b/" + second);
            commit("/registry/leases/c");
            pass(1);
        }
        List<PrefixRate> fastest = traffic.fastest(10);
        assertThat(fastest)
                .extracting(PrefixRate::prefix)
                .containsExactly(Bytes.utf8("/registry/pods/"), Bytes.utf8("/registry/leases/"));
        assertThat(fastest.get(0).perSecond()).isEqualTo(2, within(0.05));
        assertThat(fastest.get(1).perSecond()).isEqualTo(1, within(0.05));
        assertThat(fastest.get(1).errorPerSecond()).isZero();
        assertThat(traffic.fastest(1)).hasSize(1);
    }

    @Test
    void aPrefixWithoutChangesDecaysAndIsRemoved() {
        for (int second = 0; second < 60; second++) {
            commit("/a/b/c");
            pass(1);
        }
        pass(60);
        double later = traffic.fastest(1).get(0).perSecond();
        assertThat(later).isBetween(0.1, 0.5);
        pass(3600);
        assertThat(traffic.fastest(1)).isEmpty();
    }

    @Test
    void manyChangesAreSampled() {
        for (int second = 0; second < 120; second++) {
            String[] keys = new String[10_000];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = i % 10 == 0 ? "/few/x/" + i : "/many/x/" + i;
            }
            commit(keys);
            pass(1);
        }
        List<PrefixRate> fastest = traffic.fastest(2);
        assertThat(fastest.get(0).perSecond()).isEqualTo(9_000, within(1_100.0));
        assertThat(fastest.get(1).perSecond()).isEqualTo(1_000, within(1_100.0));
        // Quiet again: each is counted again, wherever the last one counted was.
        commit("/a/b/c");
        pass(1);
        commit("/a/b/c");
        assertThat(traffic.fastest(5)).extracting(PrefixRate::prefix).contains(Bytes.utf8("/a/b/"));
    }

    private void commit(String... keys) {
        revision++;
        List<WatchEvent> events = new ArrayList<>();
        for (String key : keys) {
            events.add(new WatchEvent(Bytes.utf8(key), revision, false, Bytes.EMPTY, null));
        }
        traffic.events(new RevisionEvents(revision, events, false));
    }

    private void pass(int seconds) {
        now += seconds * SECOND;
    }
}
