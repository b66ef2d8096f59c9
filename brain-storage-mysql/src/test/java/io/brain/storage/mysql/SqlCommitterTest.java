package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Outcomes of commits on a connection that fails. */
final class SqlCommitterTest {
    private static final WriteBatch BATCH =
            WriteBatch.builder().put(Bytes.utf8("k"), Bytes.utf8("v")).build();

    /** What the connection's methods throw, by name. */
    private final Map<String, Throwable> failures = new HashMap<>();

    private final List<String> calls = new ArrayList<>();

    /** Time of the database, which each commit moves. */
    private final AtomicLong time = new AtomicLong(6);

    private final SqlCommitter committer =
            new SqlCommitter(
                    () -> new Session(connection(), () -> calls.add("renew")),
                    new DatabaseClock(
                            fake(Dialect.class, method -> time.incrementAndGet()), "t_clock"),
                    new KvTable("t_kv", "", 1 << 20));

    private Connection connection() throws SQLException {
        if (failures.get("open") instanceof SQLException failure) {
            throw failure;
        }
        calls.add("open");
        return fake(
                Connection.class,
                method -> {
                    calls.add(method);
                    if (failures.containsKey(method)) {
                        throw failures.get(method);
                    }
                    return method.equals("isClosed")
                            ? (Object) false
                            : fake(PreparedStatement.class, of -> 1);
                });
    }

    private interface Call {
        Object of(String method) throws Throwable;
    }

    private static <T> T fake(Class<T> type, Call call) {
        InvocationHandler handler =
                (self, method, arguments) -> {
                    Object answer = call.of(method.getName());
                    return method.getReturnType() == void.class ? null : answer;
                };
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @AfterEach
    void everyConnectionIsClosed() {
        assertThat(calls.stream().filter("close"::equals).count())
                .isEqualTo(calls.stream().filter("open"::equals).count());
    }

    @Test
    void anAnsweredCommitIsCommittedWhateverClosingDoes() {
        for (Throwable failure :
                List.of(new SQLException("x"), new IllegalStateException(), new AssertionError())) {
            failures.put("close", failure);
            assertThat(committer.commit(BATCH)).isEqualTo(new CommitResult.Committed(time.get()));
        }
    }

    @Test
    void aServerThatIsBehindCommitsNothing() {
        assertThat(committer.commit(BATCH)).isEqualTo(new CommitResult.Committed(7));
        time.set(6);
        calls.clear();
        assertThat(committer.commit(BATCH))
                .isInstanceOfSatisfying(
                        CommitResult.Unavailable.class,
                        refused -> assertThat(refused.cause()).hasMessageContaining("is behind"));
        assertThat(calls).contains("renew").doesNotContain("commit");
        assertThat(committer.commit(BATCH)).isEqualTo(new CommitResult.Committed(8));
    }

    @Test
    void aConnectionOnWhichTheDriverFailedIsNotUsedAgain() {
        failures.put("commit", new OutOfMemoryError());
        committer.commit(BATCH);
        assertThat(calls).contains("renew").doesNotContain("rollback");
        calls.clear();
        failures.put("commit", new SQLException("deadlock", "40001"));
        committer.commit(BATCH);
        assertThat(calls).contains("rollback").doesNotContain("renew");
        calls.clear();
        failures.put("rollback", new SQLException("x"));
        committer.commit(BATCH);
        assertThat(calls).contains("renew");
    }

    @ParameterizedTest
    @CsvSource({"1290, HY000", "1792, 25006", "1836, HY000", "0, 25006"})
    void aServerThatTakesNoWritesIsNotAskedAgain(int code, String state) {
        failures.put("prepareStatement", new SQLException("read only", state, code));
        assertThat(committer.commit(BATCH)).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(calls).contains("renew");
    }

    @ParameterizedTest
    @CsvSource({
        "1153, 08S01, TOO_LARGE",
        "1118, 42000, TOO_LARGE",
        "1406, 22001, TOO_LARGE",
        "0, 54000, TOO_LARGE",
        "1114, HY000, NO_SPACE",
        "1205, 40001, UNAVAILABLE"
    })
    void aFailureTellsWhetherToRepeatTheBatch(int code, String state, Kind kind) {
        failures.put("prepareStatement", new SQLException("refused", state, code));
        assertThat(committer.commit(BATCH))
                .isInstanceOfSatisfying(
                        CommitResult.Unavailable.class,
                        refused -> assertThat(refused.cause().kind()).isEqualTo(kind));
    }

    @Test
    void anyFailureAfterCommitWasSentIsUncertain() {
        for (Throwable failure :
                List.of(
                        new SQLException("connection lost", "08006"),
                        new IllegalStateException("in the driver"),
                        new OutOfMemoryError())) {
            failures.put("commit", failure);
            assertThat(committer.commit(BATCH)).isInstanceOf(CommitResult.Uncertain.class);
        }
    }

    @Test
    void aFailureBeforeCommitWasSentLeavesNothing() {
        for (Throwable failure : List.of(new SQLException("x"), new OutOfMemoryError())) {
            failures.put("prepareStatement", failure);
            assertThat(committer.commit(BATCH)).isInstanceOf(CommitResult.Unavailable.class);
        }
        failures.put("open", new SQLException("no connection"));
        assertThat(committer.commit(BATCH)).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(calls).doesNotContain("commit");
    }
}
