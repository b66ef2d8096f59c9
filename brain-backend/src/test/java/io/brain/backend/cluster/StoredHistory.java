package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.testkit.MemoryStorage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The real history, read from every past state of the store: the changes of each revision and when
 * it became durable.
 */
final class StoredHistory {
    /** A change; {@code value} and {@code previous} may be null. */
    record Change(String key, long revision, String value, String previous) {
        Change withoutPrevious() {
            return new Change(key, revision, value, null);
        }
    }

    /** The changes of a revision, which became durable between two times. */
    record Revision(List<Change> changes, long notBefore, long notAfter) {}

    private final MemoryStorage content;
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);

    /** From revision 2 on. */
    private final List<Revision> revisions = new ArrayList<>();

    private final Map<String, TreeMap<Long, String>> keys = new TreeMap<>();
    private final Map<String, List<Long>> revisionsByValue = new HashMap<>();
    private final Set<Long> floors = new HashSet<>();
    private long timestamp;
    private long seenAt;
    private Fence last = new Fence(0, -1, 1, 0);

    StoredHistory(MemoryStorage content) {
        this.content = content;
    }

    /** Reads the commits since the last call. */
    void advance(long now) {
        long newest = content.timestamp();
        while (timestamp < newest) {
            timestamp++;
            try (Snapshot snapshot = content.snapshotAt(timestamp)) {
                Bytes stored = snapshot.get(coder.fenceKey());
                if (stored != null) {
                    read(Fence.decode(stored), snapshot, now);
                    floors.add(CompactRecord.decode(snapshot.get(coder.compactKey())).floor());
                }
            }
        }
        seenAt = now;
    }

    long revision() {
        return revisions.size() + 1L;
    }

    Revision at(long revision) {
        assertThat(revision).as("an answered revision").isLessThanOrEqualTo(revision());
        return revisions.get((int) revision - 2);
    }

    /** The revisions in which a value was put. */
    List<Long> revisionsOf(String value) {
        return revisionsByValue.getOrDefault(value, List.of());
    }

    /** True if this was the compact revision at some time. */
    boolean wasFloor(long revision) {
        return floors.contains(revision);
    }

    /** The value of a key at a revision; null if it did not exist. */
    String valueAt(String key, long revision) {
        TreeMap<Long, String> history = keys.get(key);
        var entry = history == null ? null : history.floorEntry(revision);
        return entry == null ? null : entry.getValue();
    }

    /** All keys with their values at a revision. */
    Map<String, String> stateAt(long revision) {
        Map<String, String> state = new TreeMap<>();
        for (String key : keys.keySet()) {
            String value = valueAt(key, revision);
            if (value != null) {
                state.put(key, value);
            }
        }
        return state;
    }

    private void read(Fence fence, Snapshot snapshot, long now) {
        if (fence.equals(last)) {
            return;
        }
        assertThat(fence.batch()).isGreaterThan(last.batch());
        assertThat(fence.epoch()).isGreaterThanOrEqualTo(last.epoch());
        assertThat(fence.revision()).isGreaterThanOrEqualTo(last.revision());
        Map<Long, List<Change>> found = new TreeMap<>();
        KeyRange fresh = new KeyRange(coder.logKey(last.revision() + 1, 0), coder.log().end());
        try (Cursor log = snapshot.cursor(fresh, Cursor.Direction.FORWARD)) {
            while (log.next()) {
                for (LogEvent event : LogEntry.decode(log.value()).events()) {
                    found.computeIfAbsent(event.revision(), none -> new ArrayList<>())
                            .add(change(event, snapshot));
                }
            }
        }
        for (long revision = last.revision() + 1; revision <= fence.revision(); revision++) {
            List<Change> changes = found.remove(revision);
            assertThat(changes).as("changes of revision %d", revision).isNotNull();
            revisions.add(new Revision(changes, seenAt, now));
        }
        assertThat(found).as("changes beyond the fence").isEmpty();
        last = fence;
    }

    private Bytes stored(Bytes key, long revision, Snapshot snapshot) {
        Bytes head = snapshot.get(coder.headKey(key));
        return VersionRecord.decode(head).revision() == revision
                ? head
                : snapshot.get(coder.historyKey(key, revision));
    }

    private Change change(LogEvent event, Snapshot snapshot) {
        String key = text(event.key());
        long revision = event.revision();
        String value = null;
        if (!event.delete()) {
            Bytes record =
                    event.inline() != null
                            ? event.inline()
                            : stored(event.key(), revision, snapshot);
            value = text(KeyValue.decode(VersionRecord.decode(record).kv()).value());
            revisionsByValue.computeIfAbsent(value, none -> new ArrayList<>()).add(revision);
        }
        String previous = valueAt(key, revision - 1);
        keys.computeIfAbsent(key, none -> new TreeMap<>()).put(revision, value);
        return new Change(key, revision, value, previous);
    }

    static String text(Bytes bytes) {
        return new String(bytes.array(), StandardCharsets.UTF_8);
    }
}
