package io.brain.storage.mysql;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.remote.OpenHandles;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A transaction of the database that only reads, on a connection of its own. Its threads take
 * turns.
 */
final class SqlSnapshot implements Snapshot {
    private final Session session;
    private final KvTable table;
    private final OpenHandles handles;
    private final OpenHandles.Handle handle;

    /**
     * Takes the session over.
     *
     * @param session has read something in its transaction, which fixed the state
     * @param handle of this snapshot
     */
    SqlSnapshot(Session session, KvTable table, OpenHandles handles, OpenHandles.Handle handle) {
        this.session = session;
        this.table = table;
        this.handles = handles;
        this.handle = handle;
    }

    @Override
    public Bytes get(Bytes key) {
        return get(List.of(key)).get(0);
    }

    @Override
    public List<Bytes> get(List<Bytes> keys) {
        Map<Bytes, Bytes> found = read(handle, c -> table.read(c, keys));
        List<Bytes> values = new ArrayList<>(keys.size());
        for (Bytes key : keys) {
            values.add(found.get(key));
        }
        return values;
    }

    @Override
    public Cursor cursor(KeyRange range, Cursor.Direction direction) {
        handle.check();
        return new SqlCursor(this, table, handles.open("cursor"), range, direction);
    }

    /** Runs a query for the snapshot or a cursor of it. */
    synchronized <T> T read(OpenHandles.Handle reader, Session.Work<T> query) {
        reader.check();
        handle.check();
        try {
            return session.run(query);
        } catch (SQLException e) {
            throw SqlErrors.of("cannot read from the database", e);
        }
    }

    @Override
    public synchronized void close() {
        session.close(); // before the storage can close the pool
        handle.release();
    }
}
