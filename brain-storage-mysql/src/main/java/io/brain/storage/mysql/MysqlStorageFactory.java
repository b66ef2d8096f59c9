package io.brain.storage.mysql;

import io.brain.options.StorageOptions;
import io.brain.storage.KvStorage;
import io.brain.storage.KvStorageFactory;
import java.util.Map;

/** Opens the storage {@code mysql}. */
public final class MysqlStorageFactory implements KvStorageFactory {
    /** For {@link java.util.ServiceLoader}. */
    public MysqlStorageFactory() {}

    @Override
    public String name() {
        return "mysql";
    }

    @Override
    public Map<String, String> options() {
        return StorageOptions.help(SqlSettings.OPTIONS);
    }

    @Override
    public KvStorage open(Map<String, String> options) {
        Dialect dialect = new MysqlDialect();
        return SqlStorage.open(dialect, SqlSettings.parse(dialect, options, System.getenv()), true);
    }

    @Override
    public KvStorage openReadOnly(Map<String, String> options) {
        Dialect dialect = new MysqlDialect();
        return SqlStorage.open(
                dialect, SqlSettings.parse(dialect, options, System.getenv()), false);
    }
}
