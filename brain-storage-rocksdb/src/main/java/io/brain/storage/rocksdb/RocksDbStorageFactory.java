package io.brain.storage.rocksdb;

import io.brain.options.StorageOptions;
import io.brain.storage.KvStorage;
import io.brain.storage.KvStorageFactory;
import java.util.Map;

/** Opens the storage {@code rocksdb}. */
public final class RocksDbStorageFactory implements KvStorageFactory {
    /** For {@link java.util.ServiceLoader}. */
    public RocksDbStorageFactory() {}

    @Override
    public String name() {
        return "rocksdb";
    }

    @Override
    public Map<String, String> options() {
        return StorageOptions.help(RocksDbSettings.OPTIONS);
    }

    @Override
    public KvStorage open(Map<String, String> options) {
        return RocksDbStorage.open(RocksDbSettings.parse(options));
    }

    @Override
    public KvStorage openForLoading(Map<String, String> options) {
        return RocksDbStorage.open(RocksDbSettings.parse(options).forLoading());
    }

    @Override
    public KvStorage openReadOnly(Map<String, String> options) {
        return ReadOnlyStorage.open(RocksDbSettings.parse(options));
    }
}
