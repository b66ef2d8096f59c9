package io.brain.storage.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.remote.OpenHandles;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a cursor asks of a database that has no rows. */
final class SqlCursorTest {
    private final List<String> queries = new ArrayList<>();

    private <T> T fake(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (self, method, arguments) -> {
                            if (method.getName().equals("prepareStatement")) {
                                queries.add((String) arguments[0]);
                            }
                            Class<?> answer = method.getReturnType();
                            return answer.isInterface() ? fake(answer) : (Object) false;
                        }));
    }

    @ParameterizedTest
    @CsvSource({"FORWARD, 16", "REVERSE, 1"})
    void theFirstPageIsShort(Cursor.Direction direction, int rows) {
        OpenHandles handles = new OpenHandles();
        SqlSnapshot snapshot =
                new SqlSnapshot(
                        new Session(fake(Connection.class), () -> {}),
                        new KvTable("t_kv", "", 1 << 20),
                        handles,
                        handles.open("snapshot"));
        Cursor cursor = snapshot.cursor(KeyRange.ALL, direction);
        assertThat(cursor.next()).isFalse();
        assertThat(cursor.seek(Bytes.utf8("k"))).isFalse();
        assertThat(queries).hasSize(2).allMatch(query -> query.endsWith(" LIMIT " + rows));
    }
}
