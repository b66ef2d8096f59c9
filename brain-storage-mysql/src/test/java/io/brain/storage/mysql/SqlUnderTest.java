package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.KvStorage;
import io.brain.storage.KvStorageFactory;
import io.brain.storage.testkit.DatabaseServer;
import io.brain.storage.testkit.KvStorageContract;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A store in a database that the tests of a class share; each test has its own tables. */
abstract class SqlUnderTest extends KvStorageContract {
    private static final AtomicInteger TESTS = new AtomicInteger();

    private final KvStorageFactory factory;
    final Dialect dialect;
    final Queries queries;
    final String tables = "t" + TESTS.incrementAndGet() + "_";

    /**
     * What the databases call differently.
     *
     * @param limit asks for the time limit of a session's statements
     * @param idle asks for the time limit of a transaction without statements
     * @param idleOfWriters its answer for a writer's session, with statements of at most a second
     * @param isolation asks for a session's isolation
     * @param session asks for the number of a session
     * @param defaultIsolation sets the isolation of new sessions, in the manner of {@code
     *     isolation}
     * @param usualIsolation the isolation of new sessions otherwise
     * @param readOnly makes the server take no writes
     * @param readWrite makes it take writes again
     * @param durability asks whether commits survive a crash
     * @param unsafe makes them not survive
     * @param safe makes them survive again
     */
    record Queries(
            String limit,
            String idle,
            String idleOfWriters,
            String isolation,
            String session,
            String defaultIsolation,
            String usualIsolation,
            List<String> readOnly,
            List<String> readWrite,
            String durability,
            List<String> unsafe,
            List<String> safe) {}

    SqlUnderTest(KvStorageFactory factory, Dialect dialect, Queries queries) {
        this.factory = factory;
        this.dialect = dialect;
        this.queries = queries;
    }

    /** Returns the server that the tests of the class share. */
    abstract DatabaseServer bed();

    /** Connects as a user who may change settings. */
    abstract Connection administrator() throws SQLException;

    @Override
    protected final KvStorage open() {
        return open(Map.of());
    }

    final KvStorage open(Map<String, String> more) {
        return factory.open(options(more));
    }

    final Pools pools(Map<String, String> more) throws SQLException {
        SqlSettings settings = SqlSettings.parse(dialect, options(more), Map.of());
        try (Connection connection = Pools.connect(dialect, settings)) {
            Pools.Starts starts = Pools.Starts.of(connection, dialect, settings.limit());
            return new Pools(dialect, settings, starts);
        }
    }

    /** Executes statements on a connection of a user who may change settings. */
    final void administer(List<String> statements) throws SQLException {
        try (Connection connection = administrator();
                Statement statement = connection.createStatement()) {
            for (String text : statements) {
                statement.execute(text);
            }
        }
    }

    final void administer(String statement) throws SQLException {
        administer(List.of(statement));
    }

    static String ask(Session session, String query) throws SQLException {
        return session.run(connection -> ask(connection, query));
    }

    static String ask(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }

    private Map<String, String> options(Map<String, String> more) {
        Map<String, String> options = new HashMap<>(more);
        options.putIfAbsent("database-url", bed().url("brain"));
        options.put("database-user", bed().user());
        options.put("database-password-file", bed().passwordFile().toString());
        options.putIfAbsent("table-prefix", tables);
        return options;
    }
}
