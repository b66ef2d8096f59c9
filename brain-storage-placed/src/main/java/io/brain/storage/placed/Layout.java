package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor.Direction;
import io.brain.storage.KeyRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Which store has which keys. Immutable. */
final class Layout {
    /** A part of a range that one store has. */
    record Piece(KeyRange range, String store) {}

    private record Segment(KeyRange range, Placement placement) {}

    /** By first key: what is not read from, or not written to, the base alone. */
    private final NavigableMap<Bytes, Segment> segments = new TreeMap<>();

    private final Set<String> stores = new TreeSet<>(Set.of(Placement.BASE));

    /**
     * A layout.
     *
     * @param ranges of a prefix
     */
    Layout(List<Placement> placements, Function<Bytes, List<KeyRange>> ranges) {
        for (Placement placement : placements) {
            if (placement.isElsewhere()) {
                stores.add(placement.store());
                for (KeyRange range : ranges.apply(placement.prefix())) {
                    segments.put(range.start(), new Segment(range, placement));
                }
            }
        }
    }

    /** True if the base has everything. */
    boolean isPlain() {
        return segments.isEmpty();
    }

    /** The stores that are read, the base included. */
    Set<String> stores() {
        return stores;
    }

    /** The placement of a key; null: in the base alone. */
    Placement placementOf(Bytes key) {
        Map.Entry<Bytes, Segment> before = segments.floorEntry(key);
        return before != null && before.getValue().range().contains(key)
                ? before.getValue().placement()
                : null;
    }

    /** The store from which a key is read. */
    String storeOf(Bytes key) {
        Placement placement = segments.isEmpty() ? null : placementOf(key);
        return placement == null ? Placement.BASE : placement.store();
    }

    /** The parts of a range, in the order of iteration, without the records of this module. */
    List<Piece> pieces(KeyRange range, Direction direction) {
        List<Piece> pieces = new ArrayList<>();
        if (!range.isEmpty()) {
            Bytes at = range.start();
            for (Segment segment : segments.values()) {
                at = cut(segment.range(), segment.placement().store(), range, at, pieces);
                if (at == null) {
                    break;
                }
            }
            if (at != null) {
                addBase(new KeyRange(at, range.end()), pieces);
            }
        }
        if (direction == Direction.REVERSE) {
            Collections.reverse(pieces);
        }
        return pieces;
    }

    /** Adds the pieces up to the end of a segment; returns where the rest begins, null: none. */
    private static Bytes cut(
            KeyRange segment, String store, KeyRange range, Bytes at, List<Piece> pieces) {
        boolean before = segment.end() != null && segment.end().compareTo(at) <= 0;
        if (before || store.equals(Placement.BASE)) {
            return at;
        }
        if (range.end() != null && segment.start().compareTo(range.end()) >= 0) {
            return at;
        }
        Bytes start = at;
        if (segment.start().compareTo(at) > 0) {
            addBase(new KeyRange(at, segment.start()), pieces);
            start = segment.start();
        }
        boolean toTheEnd =
                segment.end() == null
                        || (range.end() != null && segment.end().compareTo(range.end()) >= 0);
        pieces.add(new Piece(new KeyRange(start, toTheEnd ? range.end() : segment.end()), store));
        return toTheEnd ? null : segment.end();
    }

    private static void addBase(KeyRange range, List<Piece> pieces) {
        KeyRange records = Records.RANGE;
        boolean apart =
                (range.end() != null && range.end().compareTo(records.start()) <= 0)
                        || range.start().compareTo(records.end()) >= 0;
        if (apart) {
            add(range, pieces);
            return;
        }
        add(new KeyRange(range.start(), records.start()), pieces);
        add(new KeyRange(records.end(), range.end()), pieces);
    }

    private static void add(KeyRange range, List<Piece> pieces) {
        if (!range.isEmpty()) {
            pieces.add(new Piece(range, Placement.BASE));
        }
    }
}
