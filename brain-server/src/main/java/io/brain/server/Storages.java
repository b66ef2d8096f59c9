package io.brain.server;

import io.brain.backend.StoredRanges;
import io.brain.server.config.BrainConfig;
import io.brain.server.process.ServerException;
import io.brain.storage.KvStorage;
import io.brain.storage.KvStorageFactory;
import io.brain.storage.PrefixedStorage;
import io.brain.storage.StorageException;
import io.brain.storage.placed.PlacedStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Finds the configured storage engine on the class path. */
public final class Storages {
    private static final String DATA_DIR = "data-dir";

    private Storages() {}

    /** Help text of the engines' options. */
    public static String help() {
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
     * Opens the storage, with its placed stores.
     *
     * @throws ServerException if an engine does not exist or cannot open
     * @throws StorageException kind UNAVAILABLE if a later attempt may succeed
     */
    public static KvStorage open(BrainConfig server) throws ServerException {
        return open(server.storage(), server.cluster().keyspace());
    }

    /** The same for a cluster with that keyspace. */
    public static KvStorage open(BrainConfig.Storage config, String keyspace)
            throws ServerException {
        KvStorage base = open(config, KvStorageFactory::open, StorageException.Kind.UNAVAILABLE);
        if (config.placed().isEmpty()) {
            return whole(base, keyspace);
        }
        Map<String, KvStorage> stores = placed(config, base, KvStorageFactory::open);
        return known(
                () ->
                        PlacedStorage.open(
                                base,
                                stores,
                                new StoredRanges(keyspace)::of,
                                new SecureRandom().nextLong()),
                StorageException.Kind.UNAVAILABLE);
    }

    /**
     * Opens the storage to fill it; without its placed stores, as nothing is placed yet.
     *
     * @param keyspace of the cluster
     * @throws ServerException if the engine does not exist or cannot open
     * @throws StorageException kind UNAVAILABLE if a later attempt may succeed
     */
    public static KvStorage openForLoading(BrainConfig.Storage config, String keyspace)
            throws ServerException {
        return whole(
                open(config, KvStorageFactory::openForLoading, StorageException.Kind.UNAVAILABLE),
                keyspace);
    }

    /**
     * Opens an existing storage read-only, with its placed stores.
     *
     * @param keyspace of the cluster
     * @throws ServerException if an engine does not exist or cannot open
     * @throws StorageException kind CORRUPT if it is damaged
     */
    public static KvStorage openReadOnly(BrainConfig.Storage config, String keyspace)
            throws ServerException {
        KvStorage base =
                open(config, KvStorageFactory::openReadOnly, StorageException.Kind.CORRUPT);
        if (config.placed().isEmpty()) {
            return whole(base, keyspace);
        }
        Map<String, KvStorage> stores = placed(config, base, KvStorageFactory::openReadOnly);
        return known(
                () -> PlacedStorage.openReadOnly(base, stores, new StoredRanges(keyspace)::of),
                StorageException.Kind.CORRUPT);
    }

    private static Map<String, KvStorage> placed(
            BrainConfig.Storage config,
            KvStorage base,
            BiFunction<KvStorageFactory, Map<String, String>, KvStorage> opener)
            throws ServerException {
        Map<String, KvStorage> stores = new TreeMap<>();
        boolean complete = false;
        try {
            for (BrainConfig.PlacedStore one : config.placed()) {
                KvStorage store = open(one.storage(), opener, StorageException.Kind.UNAVAILABLE);
                stores.put(
                        one.name(),
                        one.keyspace().isEmpty()
                                ? store
                                : new PrefixedStorage(
                                        store, StoredRanges.keyspace(one.keyspace())));
            }
            complete = true;
            return stores;
        } finally {
            if (!complete) {
                stores.values().forEach(KvStorage::close);
                base.close();
            }
        }
    }

    /** A storage that is used without placed stores; closed if it must not be. */
    private static KvStorage whole(KvStorage storage, String keyspace) throws ServerException {
        try {
            PlacedStorage.requireWhole(storage, StoredRanges.keyspace(keyspace));
            return storage;
        } catch (StorageException refused) {
            storage.close();
            if (refused.kind() != StorageException.Kind.REFUSED) {
                throw refused;
            }
            throw new ServerException(refused.getMessage(), refused.getCause());
        }
    }

    private static KvStorage open(
            BrainConfig.Storage config,
            BiFunction<KvStorageFactory, Map<String, String>, KvStorage> opener,
            StorageException.Kind thrown)
            throws ServerException {
        KvStorageFactory engine = engine(config);
        Map<String, String> options = new HashMap<>(config.options());
        if (options.put(DATA_DIR, config.dataDir().toString()) != null) {
            throw new ServerException("--storage-option data-dir: use --data-dir", null);
        }
        return known(() -> opener.apply(engine, options), thrown);
    }

    private static KvStorage known(Supplier<KvStorage> opener, StorageException.Kind thrown)
            throws ServerException {
        try {
            return opener.get();
        } catch (StorageException | IllegalArgumentException refused) {
            if (refused instanceof StorageException storage && storage.kind() == thrown) {
                throw refused;
            }
            throw new ServerException(refused.getMessage(), refused.getCause());
        }
    }

    /** Maximum size of a local store in bytes; -1 if unknown. */
    public static long capacity(Path directory, long storedBytes) {
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
