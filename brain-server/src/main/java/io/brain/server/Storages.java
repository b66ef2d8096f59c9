package io.brain.server;

import io.brain.server.config.BrainConfig;
import io.brain.server.process.ServerException;
import io.brain.storage.KvStorage;
import io.brain.storage.KvStorageFactory;
import io.brain.storage.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Function;

/** Finds the configured storage engine on the class path. */
final class Storages {
    private static final String DATA_DIR = "data-dir";

    private Storages() {}

    /** Help text of the engines' options. */
    static String help() {
        StringBuilder text = new StringBuilder();
        engines()
                .forEach(
                        (name, engine) -> {
                            text.append("\nOptions of --storage ").append(name);
                            text.append(" (--storage-option key=value):\n");
                            new TreeMap<>(engine.options())
                                    .forEach((key, line) -> append(text, key, line));
                        });
        return text.toString();
    }

    private static void append(StringBuilder text, String option, String line) {
        if (!option.equals(DATA_DIR)) {
            text.append("  ").append(option).append("\n    ").append(line).append('\n');
        }
    }

    private static Map<String, KvStorageFactory> engines() {
        Map<String, KvStorageFactory> engines = new TreeMap<>();
        ServiceLoader.load(KvStorageFactory.class).forEach(f -> engines.put(f.name(), f));
        return engines;
    }

    /**
     * Opens the storage.
     *
     * @throws ServerException if the engine does not exist or cannot open
     * @throws StorageException kind UNAVAILABLE if a later attempt may succeed
     */
    static KvStorage open(BrainConfig.Storage config) throws ServerException {
        KvStorageFactory engine = engine(config);
        return open(config, engine::open, StorageException.Kind.UNAVAILABLE);
    }

    /**
     * Opens the storage to fill it.
     *
     * @throws ServerException if the engine does not exist or cannot open
     * @throws StorageException kind UNAVAILABLE if a later attempt may succeed
     */
    static KvStorage openForLoading(BrainConfig.Storage config) throws ServerException {
        KvStorageFactory engine = engine(config);
        return open(config, engine::openForLoading, StorageException.Kind.UNAVAILABLE);
    }

    /**
     * Opens an existing storage read-only.
     *
     * @throws ServerException if the engine does not exist or cannot open
     * @throws StorageException kind CORRUPT if it is damaged
     */
    static KvStorage openReadOnly(BrainConfig.Storage config) throws ServerException {
        KvStorageFactory engine = engine(config);
        return open(config, engine::openReadOnly, StorageException.Kind.CORRUPT);
    }

    private static KvStorage open(
            BrainConfig.Storage config,
            Function<Map<String, String>, KvStorage> opener,
            StorageException.Kind thrown)
            throws ServerException {
        Map<String, String> options = new HashMap<>(config.options());
        if (options.put(DATA_DIR, config.dataDir().toString()) != null) {
            throw new ServerException("--storage-option data-dir: use --data-dir", null);
        }
        try {
            return opener.apply(options);
        } catch (StorageException | IllegalArgumentException refused) {
            if (refused instanceof StorageException storage && storage.kind() == thrown) {
                throw refused;
            }
            throw new ServerException(refused.getMessage(), refused.getCause());
        }
    }

    /** Maximum size of a local store in bytes; -1 if unknown. */
    static long capacity(Path directory, long storedBytes) {
        try {
            return storedBytes + Files.getFileStore(directory).getUsableSpace();
        } catch (IOException unknown) {
            return -1;
        }
    }

    private static KvStorageFactory engine(BrainConfig.Storage config) throws ServerException {
        // Stops at the wanted engine: looking for the next one may open every jar.
        for (KvStorageFactory engine : ServiceLoader.load(KvStorageFactory.class)) {
            if (engine.name().equals(config.engine())) {
                return engine;
            }
        }
        throw new ServerException(
                "unknown storage engine "
                        + config.engine()
                        + "; available: "
                        + String.join(", ", engines().keySet()),
                null);
    }
}
