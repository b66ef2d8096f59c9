package io.brain.storage.tikv;

import io.brain.options.StorageOptions;
import io.brain.storage.KvStorage;
import io.brain.storage.KvStorageFactory;
import io.brain.storage.tikv.client.TikvSettings;
import java.util.Map;

/** Opens the storage {@code tikv}. Opening does not write to the cluster. */
public final class TikvStorageFactory implements KvStorageFactory {
    /** For {@link java.util.ServiceLoader}. */
    public TikvStorageFactory() {}

    @Override
    public String name() {
        return "tikv";
    }

    @Override
    public Map<String, String> options() {
        return StorageOptions.help(TikvSettings.OPTIONS);
    }

    @Override
    public KvStorage open(Map<String, String> options) {
        return TikvStorage.open(TikvSettings.parse(options));
    }
}
