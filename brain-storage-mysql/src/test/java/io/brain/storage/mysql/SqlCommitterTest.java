package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Outcomes of commits on a connection that fails. */
final class SqlCommitterTest {
    private static final WriteBatch BATCH =
            WriteBatch.builder().put(Bytes.utf8("k"), Bytes.utf8("v")).build();

    /** What the connection's methods throw, by name. */
    private final Map<String, Throwable> failures = new HashMap<>();

    private final List<String> calls = new ArrayList<>();

    private final SqlCommitter committer =
            new SqlCommitter(
                    this::connection,
                    fake(Dialect.class, method -> 7L),
                    Schema.of("t_"),
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
                    return fake(PreparedStatement.class, of -> 1);
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
            assertThat(committer.commit(BATCH)).isEqualTo(new CommitResult.Committed(7));
        }
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
