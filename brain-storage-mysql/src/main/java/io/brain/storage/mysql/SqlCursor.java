package io.brain.storage.mysql;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.mysql.KvTable.Bound;
import io.brain.storage.mysql.KvTable.Row;
import io.brain.storage.remote.OpenHandles;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a range page by page. Pages grow, because many cursors end after a few keys, to as many
 * rows as a page has bytes for, judged by the page before.
 */
final class SqlCursor implements Cursor {
    private static final int FIRST_PAGE = 16;

    /** Who goes back looks for the last pair before a key. */
    private static final int FIRST_PAGE_REVERSE = 1;

    private static final int PAGE_MAX = 512;

    private final SqlSnapshot snapshot;
    private final KvTable table;
    private final OpenHandles.Handle handle;
    private final KeyRange range;
    private final boolean reverse;

    private List<Row> page = List.of();
    private int at;
    private int pageRows;

    /** Where the next page begins; null at the beginning of the range. */
    private Bound next;

    private boolean more;
    private Row row;

    SqlCursor(
            SqlSnapshot snapshot,
            KvTable table,
            OpenHandles.Handle handle,
            KeyRange range,
            Direction direction) {
        this.snapshot = snapshot;
        this.table = table;
        this.handle = handle;
        this.range = range;
        this.reverse = direction == Direction.REVERSE;
        begin();
    }

    private void begin() {
        pageRows = reverse ? FIRST_PAGE_REVERSE : FIRST_PAGE;
        more = !range.isEmpty();
    }

    @Override
    public boolean next() {
        handle.check();
        row = null;
        if (at == page.size() && more) {
            fetch();
        }
        if (at == page.size()) {
            return false;
        }
        row = page.get(at++);
        return true;
    }

    @Override
    public boolean seek(Bytes key) {
        handle.check();
        page = List.of();
        at = 0;
        begin();
        boolean within =
                reverse
                        ? range.end() == null || key.compareTo(range.end()) < 0
                        : key.compareTo(range.start()) > 0;
        next = within ? new Bound(key, true) : null;
        return next();
    }

    private void fetch() {
        Bound low = range.start().isEmpty() ? null : new Bound(range.start(), true);
        Bound high = range.end() == null ? null : new Bound(range.end(), false);
        if (next != null) {
            low = reverse ? low : next;
            high = reverse ? next : high;
        }
        Bound from = low;
        Bound to = high;
        List<Row> rows = new ArrayList<>(pageRows);
        more = snapshot.read(handle, c -> table.page(c, from, to, reverse, pageRows, rows));
        page = rows;
        at = 0;
        if (!rows.isEmpty()) {
            long bytes = rows.stream().mapToLong(read -> read.value().length()).sum();
            long fit = KvTable.BYTES_MAX * rows.size() / Math.max(1, bytes);
            pageRows = (int) Math.max(1, Math.min(fit, Math.min(PAGE_MAX, 4 * pageRows)));
            next = new Bound(rows.get(rows.size() - 1).key(), false);
        }
    }

    @Override
    public Bytes key() {
        return current().key();
    }

    @Override
    public Bytes value() {
        return current().value();
    }

    private Row current() {
        if (row == null) {
            throw new IllegalStateException("no current pair");
        }
        return row;
    }

    @Override
    public void close() {
        handle.release();
    }
}
