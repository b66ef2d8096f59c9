package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.Op;
import io.brain.backend.model.TtlRules;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.LogScan;
import io.brain.backend.store.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The leader fails in the middle of an expiry: the next one continues it. */
class TtlFailoverTest {
    private static final int KEYS = 1000;
    private static final Duration TTL = Duration.ofMinutes(1);
    private static final TtlRules RULES = TtlRules.parse("/e/** = 1m");

    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private SimulatedCluster cluster;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyKeyIsDeletedOnceAndAtItsTime(long seed) {
        cluster = new SimulatedCluster(seed, 3, 20_000, Duration.ofSeconds(1), () -> RULES);
        cluster.simulation.advance(Duration.ofSeconds(5));
        for (int i = 0; i < KEYS; i++) {
            put("/e/" + i);
        }
        put("/other/events");
        SimulatedServer leader = cluster.leader();
        leader.slowAnswers(Duration.ofMillis(20));
        cluster.simulation.advance(TTL.minusSeconds(2));
        for (int i = 0; i < 10_000 && existing() > KEYS * 2 / 3; i++) {
            cluster.simulation.advance(Duration.ofMillis(1));
        }
        assertThat(existing()).isBetween(2, KEYS * 2 / 3);
        cluster.setFaulty(true);
        leader.kill(seed % 2 == 0);
        cluster.simulation.advance(Duration.ofSeconds(5));
        put("/e/999"); // it must not expire with its older version
        cluster.simulation.advance(Duration.ofSeconds(20));
        cluster.setFaulty(false);
        cluster.simulation.advance(Duration.ofSeconds(5));

        Map<Bytes, Integer> deletes = new HashMap<>();
        Map<Long, Integer> sizes = new HashMap<>();
        for (LogEvent event : log()) {
            if (event.delete()) {
                deletes.merge(event.key(), 1, Integer::sum);
                sizes.merge(event.revision(), 1, Integer::sum);
            }
        }
        assertThat(deletes)
                .doesNotContainKey(Bytes.utf8("/other/events"))
                .hasSizeBetween(999, KEYS);
        assertThat(deletes.values()).containsOnly(1);
        assertThat(sizes.values()).allMatch(size -> size <= 200).hasSizeGreaterThanOrEqualTo(5);
        assertThat(existing()).isEqualTo(2);
        cluster.simulation.advance(TTL);
        assertThat(existing()).isEqualTo(1);
        try (Snapshot snapshot = newest();
                Cursor records =
                        snapshot.cursor(coder.expiries().range(), Cursor.Direction.FORWARD)) {
            assertThat(records.next()).isFalse();
        }
    }

    private void put(String key) {
        Op put = new Op.Put(Bytes.utf8(key), Bytes.utf8("1"), 0, false, false, false);
        cluster.simulation.await(cluster.leader().node().txn(Txn.of(put), 10));
    }

    private Snapshot newest() {
        return cluster.content.snapshotAt(cluster.content.timestamp());
    }

    private int existing() {
        int count = 0;
        try (Snapshot snapshot = newest();
                Cursor heads = snapshot.cursor(coder.heads(), Cursor.Direction.FORWARD)) {
            while (heads.next()) {
                count += VersionRecord.decode(heads.value()).isTombstone() ? 0 : 1;
            }
        }
        return count;
    }

    private List<LogEvent> log() {
        List<LogEvent> events = new ArrayList<>();
        try (Snapshot snapshot = newest();
                LogScan log = new LogScan(snapshot, coder, LogScan.REVISION_MIN)) {
            for (LogEvent event = log.next(); event != null; event = log.next()) {
                events.add(event);
            }
        }
        return events;
    }
}
