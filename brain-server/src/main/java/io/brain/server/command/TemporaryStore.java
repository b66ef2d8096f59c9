package io.brain.server.command;

import io.brain.server.Storages;
import io.brain.server.config.BrainConfig;
import io.brain.server.process.ServerException;
import io.brain.storage.KvStorage;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.StepListener;
import io.brain.transfer.load.ImportOptions;
import io.brain.transfer.load.Importer;
import io.brain.transfer.verify.StoreSide;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;

/** A source of changes as a store in a work directory, which deletes it. */
final class TemporaryStore implements AutoCloseable {
    private final Path directory;
    private final KvStorage storage;
    private final String name;

    private TemporaryStore(Path directory, KvStorage storage, String name) {
        this.directory = directory;
        this.storage = storage;
        this.name = name;
    }

    /**
     * Imports a source. It is not read beforehand as a whole: nothing is lost if it is damaged.
     *
     * @param name of the source, for messages
     */
    static TemporaryStore of(
            ChangeSource source,
            String name,
            ImportOptions options,
            Path work,
            StepListener listener)
            throws IOException, ServerException {
        TemporaryStore store = create(work, name);
        boolean complete = false;
        try {
            new Importer(source, name, "", options, new SecureRandom(), listener)
                    .run(store.storage);
            complete = true;
            return store;
        } finally {
            if (!complete) {
                store.close();
            }
        }
    }

    private static TemporaryStore create(Path work, String name)
            throws IOException, ServerException {
        Path directory = Files.createTempDirectory(work, "store-");
        Path data = directory.resolve("data");
        return new TemporaryStore(
                directory,
                Storages.openForLoading(new BrainConfig.Storage("rocksdb", data, Map.of()), ""),
                name);
    }

    /** To compare; closed before the store. */
    StoreSide side() {
        return new StoreSide(name, storage, "", directory.resolve("sort"));
    }

    @Override
    public void close() {
        storage.close();
    }
}
