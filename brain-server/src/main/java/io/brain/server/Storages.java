package io.brain.server;

import io.brain.server.config.BrainConfig;
import io.brain.storage.KvStorage;
import io.brain.storage.KvStorageFactory;
import io.brain.storage.StorageException;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** Finds the storage engine that the settings name, among those on the class path. */
final class Storages {
    private Storages() {}

    /**
     * Opens the storage.
     *
     * @throws ServerException if there is no such engine, or it cannot open
     */
    static KvStorage open(BrainConfig config, DataDirectory directory) throws ServerException {
        Map<String, KvStorageFactory> engines = new TreeMap<>();
        ServiceLoader.load(KvStorageFactory.class).forEach(f -> engines.put(f.name(), f));
        KvStorageFactory engine = engines.get(config.storage().engine());
        if (engine == null) {
            throw new ServerException(
                    "no storage engine "
                            + config.storage().engine()
                            + "; there is: "
                            + String.join(", ", engines.keySet()),
                    null);
        }
        Map<String, String> options = new HashMap<>(config.storage().options());
        options.putIfAbsent("data-dir", directory.path().toString());
        try {
            return engine.open(options);
        } catch (StorageException | IllegalArgumentException refused) {
            throw new ServerException(refused.getMessage(), refused.getCause());
        }
    }
}
