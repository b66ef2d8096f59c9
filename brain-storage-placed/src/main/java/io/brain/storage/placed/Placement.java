package io.brain.storage.placed;

import io.brain.storage.Bytes;

/**
 * Where a prefix is.
 *
 * @param prefix not empty
 * @param store that is read; {@link #BASE} is the base store
 * @param other while moving, the store that receives a copy; while clearing, the one that loses its
 *     copy; otherwise empty
 * @param state what happens to the prefix
 * @param number of the change that began the state: no other placement had it
 */
public record Placement(Bytes prefix, String store, String other, State state, long number) {
    /** Name of the base store. */
    public static final String BASE = "base";

    /** What happens to a prefix. */
    public enum State {
        /** Nothing. */
        PLACED,
        /** It is copied; changes of what is copied go to both stores. */
        MOVING,
        /** It has moved; the former copy is deleted. */
        CLEARING
    }

    /** True if reads or writes of the prefix differ from those of the base. */
    boolean isElsewhere() {
        return !store.equals(BASE) || state == State.MOVING;
    }

    /** True if {@code name} has, or may have, a part of the prefix. */
    boolean uses(String name) {
        return store.equals(name) || other.equals(name);
    }

    /** True if one prefix begins with the other. */
    boolean overlaps(Bytes another) {
        return prefix.startsWith(another) || another.startsWith(prefix);
    }

    /** Everything is copied: it is read from the other store, and this one loses its copy. */
    Placement moved(long change) {
        return clearing(prefix, other, store, change);
    }

    /** The move ends before it is complete. */
    Placement canceled(long change) {
        return clearing(prefix, store, other, change);
    }

    /** Only one store has the prefix. */
    Placement cleared(long change) {
        return new Placement(prefix, store, "", State.PLACED, change);
    }

    private static Placement clearing(Bytes prefix, String kept, String cleared, long change) {
        return new Placement(prefix, kept, cleared, State.CLEARING, change);
    }
}
