package io.brain.server.command;

import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.KeyValue;
import io.brain.server.Storages;
import io.brain.server.config.BrainConfig;
import io.brain.storage.KvStorage;
import io.brain.transfer.verify.Side;
import io.brain.transfer.verify.StoreSide;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a stopped store on RocksDB has. */
final class StoredKeys {
    private StoredKeys() {}

    /** Each key at a revision, with its value, revisions and version. */
    static List<String> at(Path store, Path work, long revision) throws Exception {
        List<String> all = new ArrayList<>();
        BrainConfig.Storage config = new BrainConfig.Storage("rocksdb", store, Map.of());
        try (KvStorage storage = Storages.openReadOnly(config, "");
                StoreSide side = new StoreSide("store", storage, "", work);
                Side.Entries entries = side.entries(KeySpan.ALL, revision)) {
            for (Side.Entry entry = entries.next(); entry != null; entry = entries.next()) {
                KeyValue kv = KeyValue.decode(entry.kv());
                all.add(
                        line(
                                kv.key().toString(),
                                kv.value().toString(),
                                kv.createRevision(),
                                kv.modRevision(),
                                kv.version()));
            }
        }
        return all;
    }

    static String line(String key, String value, long created, long modified, long version) {
        return "%s=%s %d %d %d".formatted(key, value, created, modified, version);
    }
}
