package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import java.util.List;

/** A cursor over the pieces of a range, one after the other. Holds the view until it is closed. */
final class PieceCursor implements Cursor {
    private final View view;
    private final List<Layout.Piece> pieces;
    private final Direction direction;
    private int at;

    /** Cursor of the piece; null before it is opened. */
    private Cursor current;

    private boolean valid;
    private boolean closed;

    /**
     * A cursor.
     *
     * @param view held for this cursor, which leaves it
     * @param pieces in the order of iteration
     */
    PieceCursor(View view, List<Layout.Piece> pieces, Direction direction) {
        this.view = view;
        this.pieces = pieces;
        this.direction = direction;
    }

    @Override
    public boolean next() {
        view.checkOpen();
        valid = false;
        if (pieces.isEmpty()) {
            return false;
        }
        while (!opened().next()) {
            if (at == pieces.size() - 1) {
                return false;
            }
            moveTo(at + 1);
        }
        valid = true;
        return true;
    }

    @Override
    public boolean seek(Bytes key) {
        view.checkOpen();
        valid = false;
        if (pieces.isEmpty()) {
            return false;
        }
        int wanted = 0;
        while (wanted < pieces.size() - 1 && isBefore(pieces.get(wanted).range(), key)) {
            wanted++;
        }
        if (wanted != at) {
            moveTo(wanted);
        }
        valid = opened().seek(key);
        return valid || (at < pieces.size() - 1 && next());
    }

    /** True if iteration passes the whole range before it reaches the key. */
    private boolean isBefore(KeyRange range, Bytes key) {
        return direction == Direction.FORWARD
                ? range.end() != null && range.end().compareTo(key) <= 0
                : range.start().compareTo(key) > 0;
    }

    private void moveTo(int piece) {
        if (current != null) {
            current.close();
            current = null;
        }
        at = piece;
    }

    private Cursor opened() {
        if (current == null) {
            Layout.Piece piece = pieces.get(at);
            current = view.of(piece.store()).cursor(piece.range(), direction);
        }
        return current;
    }

    private Cursor placed() {
        if (!valid) {
            throw new IllegalStateException("the cursor is not at a pair");
        }
        return current;
    }

    @Override
    public Bytes key() {
        return placed().key();
    }

    @Override
    public Bytes value() {
        return placed().value();
    }

    @Override
    public int valueLength() {
        return placed().valueLength();
    }

    @Override
    public int copyValue(byte[] target, int from) {
        return placed().copyValue(target, from);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            valid = false;
            if (current != null) {
                current.close();
            }
            view.leave();
        }
    }
}
