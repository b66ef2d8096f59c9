package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.placed.Placement.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The base's record of its placed stores. Compared and set by every commit that changes a placed
 * store. Immutable.
 *
 * @param id random number of the base, in the records of its stores
 * @param changes number of changes of placements
 * @param numbers of the last commit of each store that has, or may have, a part of a prefix
 * @param placements of prefixes that do not overlap
 */
record PlacementRecord(
        long id, long changes, SortedMap<String, Long> numbers, List<Placement> placements) {
    private static final int PLACEMENTS_MAX = 32;
    private static final String NAME = "the record of placements";

    static PlacementRecord empty(long id) {
        return new PlacementRecord(id, 0, new TreeMap<>(), List.of());
    }

    /** The record after a commit that changes these stores. */
    PlacementRecord next(Iterable<String> stores) {
        SortedMap<String, Long> next = new TreeMap<>(numbers);
        stores.forEach(name -> next.merge(name, 1L, Long::sum));
        return new PlacementRecord(id, changes, next, placements);
    }

    /**
     * The record with a placement instead of the one of the same prefix. One that says nothing, on
     * the base, is omitted, and so are stores that have nothing.
     *
     * @param added number of the last commit of the stores that are not in the record
     */
    PlacementRecord with(Placement placement, SortedMap<String, Long> added) {
        List<Placement> next = new ArrayList<>(placements);
        next.removeIf(one -> one.prefix().equals(placement.prefix()));
        boolean plain =
                placement.store().equals(Placement.BASE) && placement.state() == State.PLACED;
        if (!plain) {
            next.add(placement);
        }
        SortedMap<String, Long> stores = new TreeMap<>(added);
        stores.putAll(numbers);
        stores.keySet().removeIf(name -> next.stream().noneMatch(one -> one.uses(name)));
        return new PlacementRecord(id, changes + 1, stores, List.copyOf(next));
    }

    /**
     * The placement that a request asks for; null: the prefix is there already.
     *
     * @param known names of the placed stores
     * @throws PlacementException if it cannot be placed there now
     */
    Placement next(Bytes prefix, String store, Set<String> known) {
        if (prefix.isEmpty()) {
            throw new PlacementException("the prefix is empty");
        }
        if (!store.equals(Placement.BASE) && !known.contains(store)) {
            throw new PlacementException(
                    "there is no store %s; stores are base, %s"
                            .formatted(store, String.join(", ", known)));
        }
        Placement current = find(prefix);
        if (cancels(prefix, store)) {
            return current.canceled(changes + 1);
        }
        Placement unfinished = unfinished();
        if (unfinished != null) {
            return next(store, current, unfinished);
        }
        for (Placement other : placements) {
            if (!other.equals(current) && other.overlaps(prefix)) {
                throw new PlacementException(
                        "%s overlaps %s, which is placed on %s: move that home first"
                                .formatted(prefix, other.prefix(), other.store()));
            }
        }
        if (current == null && placements.size() >= PLACEMENTS_MAX) {
            throw new PlacementException("there are " + PLACEMENTS_MAX + " placements already");
        }
        String from = current == null ? Placement.BASE : current.store();
        return from.equals(store)
                ? null
                : new Placement(prefix, from, store, State.MOVING, changes + 1);
    }

    /** True if the prefix is there and moves: to place it there cancels that. */
    boolean cancels(Bytes prefix, String store) {
        Placement current = find(prefix);
        return current != null && current.state() == State.MOVING && current.store().equals(store);
    }

    /** The same while something else is unfinished: only that can be asked for, again. */
    private Placement next(String store, Placement current, Placement unfinished) {
        boolean moves = unfinished.state() == State.MOVING;
        if (unfinished.equals(current) && moves && current.other().equals(store)) {
            return null;
        }
        throw new PlacementException(
                "one prefix moves at a time, and %s is %s %s: wait until it ends"
                        .formatted(
                                unfinished.prefix(),
                                moves ? "moving to" : "being cleared in",
                                unfinished.other()));
    }

    /** The placement of exactly this prefix; null if there is none. */
    Placement find(Bytes prefix) {
        return placements.stream()
                .filter(one -> one.prefix().equals(prefix))
                .findFirst()
                .orElse(null);
    }

    /** The placement that moves or is cleared; null if there is none. There is at most one. */
    Placement unfinished() {
        return placements.stream()
                .filter(one -> one.state() != State.PLACED)
                .findFirst()
                .orElse(null);
    }

    Bytes encode() {
        return Records.encode(
                out -> {
                    out.writeLong(id);
                    out.writeLong(changes);
                    out.writeInt(numbers.size());
                    for (var one : numbers.entrySet()) {
                        out.writeUTF(one.getKey());
                        out.writeLong(one.getValue());
                    }
                    out.writeInt(placements.size());
                    for (Placement one : placements) {
                        Records.writeBytes(out, one.prefix());
                        out.writeUTF(one.store());
                        out.writeUTF(one.other());
                        out.writeUTF(one.state().name());
                        out.writeLong(one.number());
                    }
                });
    }

    static PlacementRecord decode(Bytes record) {
        return Records.decode(
                NAME,
                record,
                in -> {
                    long id = in.readLong();
                    long changes = in.readLong();
                    SortedMap<String, Long> numbers = new TreeMap<>();
                    for (int left = in.readInt(); left > 0; left--) {
                        numbers.put(in.readUTF(), in.readLong());
                    }
                    List<Placement> placements = new ArrayList<>();
                    for (int left = in.readInt(); left > 0; left--) {
                        placements.add(
                                new Placement(
                                        Records.readBytes(in),
                                        in.readUTF(),
                                        in.readUTF(),
                                        State.valueOf(in.readUTF()),
                                        in.readLong()));
                    }
                    return new PlacementRecord(id, changes, numbers, List.copyOf(placements));
                });
    }
}
