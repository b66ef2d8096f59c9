package io.brain.conformance.cluster.durability;

/** Something that must never be seen after a crash. */
record Violation(Kind kind, String detail) {

    enum Kind {
        /** An acknowledged write is not there. */
        LOST,
        /** A part of a write is there without the rest. */
        TORN,
        /** A write has another revision than the one it was acknowledged with. */
        MOVED,
        /** A revision has no event, is used again, or was told of and never came. */
        GAP,
        /** An event that no write explains, or a compare-and-put that its compare forbids. */
        UNEXPLAINED,
        /** A watcher had seen an event that is not in the history any more. */
        FORGOTTEN,
        /** A lease is not there before its time is over, or without a key, or after its end. */
        LEASE,
        /** A read shows something else than the history says. */
        READ
    }
}
