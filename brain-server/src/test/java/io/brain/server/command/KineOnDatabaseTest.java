package io.brain.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.testkit.DatabaseServer;
import io.brain.storage.testkit.DatabaseServer.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code brain import jdbc:} of kine's table in real databases, with rows as kine writes, fills and
 * compacts them.
 */
@Tag("peer")
class KineOnDatabaseTest {
    private static final int REVISIONS = 2_500;
    private static final int KEYS = 120;
    private static final long COMPACTED = 900;
    private static final int POINTS = 30;

    /** The columns of kine's table. */
    private static final Map<Kind, String> COLUMNS =
            Map.of(
                    Kind.MARIADB,
                    "id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(630) CHARACTER SET"
                            + " ascii, created INTEGER, deleted INTEGER, create_revision BIGINT"
                            + " UNSIGNED, prev_revision BIGINT UNSIGNED, lease INTEGER, value"
                            + " MEDIUMBLOB, old_value MEDIUMBLOB",
                    Kind.POSTGRES,
                    "id BIGSERIAL PRIMARY KEY, name text COLLATE \"C\", created INTEGER, deleted"
                            + " INTEGER, create_revision BIGINT, prev_revision BIGINT, lease"
                            + " INTEGER, value bytea, old_value bytea");

    /** A row; also what etcd has at that revision, but for the version after a compaction. */
    private record Change(
            long id, String name, boolean deleted, long created, long previous, String value) {}

    private final NavigableMap<String, List<Change>> model = new TreeMap<>();
    private final TreeSet<Long> gaps = new TreeSet<>();
    private final Random random = new Random(11);

    @TempDir private Path directory;

    private DatabaseServer server;
    private String url;
    private String printed;

    @AfterEach
    void stopServer() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theImportEqualsTheModel(Kind kind) throws Exception {
        server = DatabaseServer.start(kind);
        url = server.url("kine");
        assertThat(importKine("none")).isEqualTo(1);
        assertThat(printed).startsWith("cannot import: kine's database: ").hasLineCount(1);
        change();
        store(kind);

        assertThat(importKine("store")).as(printed).isZero();

        long newest = gaps.last();
        assertThat(printed)
                .contains("revision %d, compacted at %d; 2 leases,".formatted(newest, COMPACTED))
                .contains("up to revision " + newest);
        for (int i = 0; i < POINTS; i++) {
            long revision =
                    i == 0
                            ? newest
                            : i == 1 ? COMPACTED : COMPACTED + random.nextLong(newest - COMPACTED);
            assertThat(StoredKeys.at(directory.resolve("store"), directory.resolve("s"), revision))
                    .as("at %d", revision)
                    .isEqualTo(expected(revision));
        }
        System.out.printf(
                "summary: kine on %s: %d revisions of %d keys, compacted at %d, equal to the model"
                        + " at %d revisions%n",
                kind, newest, model.size(), COMPACTED, POINTS);

        Files.writeString(server.passwordFile(), "wrong");
        assertThat(importKine("other")).isEqualTo(1);
        assertThat(printed).startsWith("cannot import: kine's database: ").hasLineCount(1);
        url = url + "?password=brain";
        assertThat(importKine("other")).isEqualTo(2);
        assertThat(printed).contains("must not have a password").doesNotContain("=brain");
        assertThat(directory.resolve("other")).doesNotExist();
    }

    /** Creates, updates, deletes and creates again; ids without a change are gaps. */
    private void change() {
        add(2, "/registry/health", "{\"health\":\"true\"}");
        for (long id = 3; id <= REVISIONS; id++) {
            if (random.nextInt(20) == 0) {
                gaps.add(id);
                continue;
            }
            String key = "/registry/kind" + random.nextInt(5) + "/name" + random.nextInt(KEYS);
            List<Change> changes = model.get(key);
            boolean exists = changes != null && !last(changes).deleted();
            boolean large = random.nextInt(200) == 0;
            String value = "v".repeat(large ? 1 << 20 : 1 + random.nextInt(300)) + id;
            add(id, key, exists && random.nextInt(4) == 0 ? null : value);
        }
        gaps.addAll(List.of(REVISIONS + 1L, REVISIONS + 2L, REVISIONS + 3L));
    }

    private void add(long id, String key, String value) {
        List<Change> changes = model.computeIfAbsent(key, name -> new ArrayList<>());
        Change before = changes.isEmpty() ? null : last(changes);
        boolean exists = before != null && !before.deleted();
        long previous = before == null ? 0 : before.id();
        long created = exists ? before.created() : id;
        changes.add(new Change(id, key, value == null, created, previous, value));
    }

    private static Change last(List<Change> changes) {
        return changes.get(changes.size() - 1);
    }

    /** Fills the table, and removes from it and from the model what kine's compaction removes. */
    private void store(Kind kind) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, server.user(), "brain")) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE kine (" + COLUMNS.get(kind) + ")");
                statement.execute("CREATE INDEX kine_name_id_index ON kine (name, id)");
            }
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO kine VALUES (?,?,?,?,?,?,?,?,?)")) {
                insert(insert, 1, "compact_rev_key", true, false, 0, COMPACTED, 0, "");
                for (List<Change> changes : model.values()) {
                    compact(changes);
                    for (Change change : changes) {
                        insert(insert, change);
                    }
                }
                for (long gap : gaps.tailSet(COMPACTED + 1)) {
                    insert(insert, gap, "gap-" + gap, false, true, 0, 0, 0, null);
                }
            }
            connection.commit();
        }
    }

    /** Removes what a row up to the compacted revision replaced, and deletes up to there. */
    private static void compact(List<Change> changes) {
        List<Long> replaced =
                changes.stream()
                        .filter(change -> change.id() <= COMPACTED)
                        .map(Change::previous)
                        .toList();
        changes.removeIf(
                change ->
                        replaced.contains(change.id())
                                || (change.deleted() && change.id() <= COMPACTED));
    }

    private static void insert(PreparedStatement insert, Change change) throws SQLException {
        boolean created = change.created() == change.id() && !change.deleted();
        long createRevision = created || change.deleted() ? 0 : change.created();
        long ttl = change.name().endsWith("7") ? 3600 : change.name().endsWith("8") ? 15 : 0;
        insert(
                insert,
                change.id(),
                change.name(),
                created,
                change.deleted(),
                createRevision,
                change.previous(),
                change.deleted() ? 0 : ttl,
                change.value());
    }

    private static void insert(
            PreparedStatement insert,
            long id,
            String name,
            boolean created,
            boolean deleted,
            long createRevision,
            long previous,
            long ttl,
            String value)
            throws SQLException {
        insert.setLong(1, id);
        insert.setString(2, name);
        insert.setInt(3, created ? 1 : 0);
        insert.setInt(4, deleted ? 1 : 0);
        insert.setLong(5, createRevision);
        insert.setLong(6, previous);
        insert.setLong(7, ttl);
        insert.setBytes(8, value == null ? null : value.getBytes(UTF_8));
        insert.setBytes(9, null);
        insert.executeUpdate();
    }

    /** Each key with its value, revisions and version, as the import counts it. */
    private List<String> expected(long revision) {
        List<String> all = new ArrayList<>();
        model.forEach(
                (key, changes) -> {
                    long version = 0;
                    Change newest = null;
                    for (Change change : changes) {
                        if (change.id() > revision) {
                            break;
                        }
                        boolean isFirst = version == 0;
                        boolean creates = change.created() == change.id();
                        version = change.deleted() ? 0 : isFirst && !creates ? 2 : version + 1;
                        newest = change;
                    }
                    if (version > 0) {
                        all.add(
                                StoredKeys.line(
                                        key,
                                        newest.value(),
                                        newest.created(),
                                        newest.id(),
                                        version));
                    }
                });
        return all;
    }

    private int importKine(String store) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(out, true, UTF_8);
        List<String> args =
                Arrays.asList(
                        url,
                        "--kine-user=" + server.user(),
                        "--kine-password-file=" + server.passwordFile(),
                        "--data-dir=" + directory.resolve(store),
                        "--work-dir=" + directory);
        int code =
                new ImportCommand().run(args, Map.of(), stream, stream, new CompletableFuture<>());
        printed = out.toString(UTF_8);
        return code;
    }
}
