package io.brain.backend.write;

import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The content of a store, read by a scan that shares no code with the write path. */
public final class StoredState {
    private static final int LEASES_MAX = 10;

    /** One key's versions: the head, and all of them by revision. */
    static final class StoredKey {
        VersionRecord head;
        final NavigableMap<Long, VersionRecord> versions = new TreeMap<>();
    }

    final NavigableMap<Bytes, StoredKey> keys = new TreeMap<>();
    final List<LogEvent> log = new ArrayList<>();
    final List<Bytes> logKeys = new ArrayList<>();
    final NavigableMap<Bytes, Bytes> small = new TreeMap<>();

    /** Attachment records of the leases that tests use. */
    final List<Bytes> attachments = new ArrayList<>();

    final Fence fence;
    long bytes;

    private StoredState(Fence fence) {
        this.fence = fence;
    }

    static StoredState of(KvStorage storage, KeyCoder coder) {
        try (Snapshot snapshot = storage.snapshot()) {
            StoredState state = new StoredState(Fence.decode(snapshot.get(coder.fenceKey())));
            try (Cursor data = snapshot.cursor(coder.dataRange(), Cursor.Direction.FORWARD)) {
                while (data.next()) {
                    state.add(data.key(), data.value(), coder);
                }
            }
            try (Cursor log = snapshot.cursor(coder.log(), Cursor.Direction.FORWARD)) {
                while (log.next()) {
                    state.logKeys.add(log.key());
                    state.log.addAll(LogEntry.decode(log.value()).events());
                }
            }
            try (Cursor small = snapshot.cursor(coder.leases(), Cursor.Direction.FORWARD)) {
                while (small.next()) {
                    state.small.put(small.key(), small.value());
                }
            }
            for (long lease = 1; lease <= LEASES_MAX; lease++) {
                try (Cursor attached =
                        snapshot.cursor(coder.attachments().of(lease), Cursor.Direction.FORWARD)) {
                    while (attached.next()) {
                        state.attachments.add(attached.key());
                    }
                }
            }
            return state;
        }
    }

    /** The value of a live key at the newest revision; null if there is none. */
    String value(String key) {
        KeyValue kv = kv(key);
        return kv == null ? null : kv.value().toString();
    }

    /** The live KeyValue at the newest revision; null if there is none. */
    KeyValue kv(String key) {
        StoredKey stored = keys.get(Bytes.utf8(key));
        if (stored == null || stored.head == null || stored.head.isTombstone()) {
            return null;
        }
        return KeyValue.decode(stored.head.kv());
    }

    private void add(Bytes key, Bytes value, KeyCoder coder) {
        bytes += key.length() + value.length();
        boolean head = coder.heads().contains(key);
        Bytes userKey = head ? coder.keyOfHead(key) : coder.keyOfHistory(key);
        VersionRecord version = VersionRecord.decode(value);
        StoredKey stored = keys.computeIfAbsent(userKey, any -> new StoredKey());
        if (!head && version.equals(stored.head)) {
            bytes -= key.length() + value.length(); // a copy for a wide delete
        }
        stored.versions.put(head ? version.revision() : KeyCoder.revisionOf(key), version);
        if (head) {
            stored.head = version;
        }
    }
}
