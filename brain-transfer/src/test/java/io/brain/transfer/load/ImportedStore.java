package io.brain.transfer.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.admin.check.StoreCheck;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.LogScan;
import io.brain.backend.store.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.EtcdDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Imports into a storage, and reads it without a server. */
final class ImportedStore {
    static final String KEYSPACE = "test";

    private final KvStorage storage;
    final KeyCoder coder = KeyCoder.of(KEYSPACE);

    ImportedStore(KvStorage storage) {
        this.storage = storage;
    }

    /** A storage that asks for small batches, and takes only short keys if that is wanted. */
    static KvStorage limited(KvStorage storage, long batchBytesMax, int keyBytesMax) {
        return new ForwardingKvStorage(storage) {
            @Override
            public long batchBytesMax() {
                return batchBytesMax;
            }

            @Override
            public int keyBytesMax() {
                return keyBytesMax;
            }
        };
    }

    static ImportReport load(Path file, ImportOptions options, KvStorage storage)
            throws IOException {
        try (EtcdDatabase source = EtcdDatabase.open(file, true, (step, done, total) -> {})) {
            return load(source, file.toString(), options, storage);
        }
    }

    static ImportReport load(
            ChangeSource source, String name, ImportOptions options, KvStorage storage)
            throws IOException {
        Importer importer =
                new Importer(
                        source,
                        name,
                        KEYSPACE,
                        options,
                        new Random(System.nanoTime()),
                        (step, done, total) -> {});
        importer.check();
        return importer.run(storage);
    }

    /** Checks that nothing is damaged. */
    void requireSound() {
        List<String> findings = new ArrayList<>();
        new StoreCheck(storage, KEYSPACE, findings::add, (step, part) -> {}).run();
        assertThat(findings).isEmpty();
    }

    Fence fence() {
        return Fence.decode(get(coder.fenceKey()));
    }

    CompactRecord compact() {
        return CompactRecord.decode(get(coder.compactKey()));
    }

    Bytes get(Bytes key) {
        try (Snapshot snapshot = storage.snapshot()) {
            return snapshot.get(key);
        }
    }

    /** Existing keys at a revision with their encoded KeyValues. */
    Map<Bytes, Bytes> at(long revision) {
        TreeMap<Bytes, Bytes> state = new TreeMap<>();
        try (Snapshot snapshot = storage.snapshot();
                Cursor heads = snapshot.cursor(coder.heads(), Cursor.Direction.FORWARD)) {
            while (heads.next()) {
                Bytes key = coder.keyOfHead(heads.key());
                VersionRecord version = VersionRecord.decode(heads.value());
                if (version.revision() > revision) {
                    version = replaced(snapshot, key, revision);
                }
                if (version != null && !version.isTombstone()) {
                    state.put(key, version.kv());
                }
            }
        }
        return state;
    }

    private VersionRecord replaced(Snapshot snapshot, Bytes key, long revision) {
        try (Cursor cursor = snapshot.cursor(coder.history(), Cursor.Direction.FORWARD)) {
            boolean found = cursor.seek(coder.historyKey(key, revision));
            return found && coder.keyOfHistory(cursor.key()).equals(key)
                    ? VersionRecord.decode(cursor.value())
                    : null;
        }
    }

    /** The events from a revision on, as lines: revision, change, d if it is a delete, key. */
    List<String> events(long from) {
        List<String> events = new ArrayList<>();
        try (Snapshot snapshot = storage.snapshot();
                LogScan log = new LogScan(snapshot, coder, Math.max(2, from))) {
            for (LogEvent event = log.next(); event != null; event = log.next()) {
                events.add(line(event.revision(), event.sub(), event.delete(), event.key()));
            }
            log.requireReached(fence().revision());
        }
        return events;
    }

    static String line(long revision, int sub, boolean delete, Bytes key) {
        return revision + " " + sub + (delete ? " d " : " ") + key;
    }
}
