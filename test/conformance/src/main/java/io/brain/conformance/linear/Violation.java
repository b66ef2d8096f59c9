package io.brain.conformance.linear;

/** One thing in a history that a correct cluster does not do. */
public record Violation(Kind kind, String text) {

    /** What is wrong. */
    public enum Kind {
        /** A write was acknowledged, and the log has not got it, or has something else there. */
        LOST,
        /** Two requests were told the same revision for their writes. */
        TWICE,
        /** A revision that no request explains: changed afterwards, applied again, or made up. */
        UNEXPLAINED,
        /** The log lacks a revision. */
        GAP,
        /** An answer is not what the store at its revision gives. */
        WRONG_ANSWER,
        /** An answer ignores what had happened, or knows what had not begun. */
        REAL_TIME,
        /** A client saw a node go back to an older state. */
        BACKWARDS,
        /** A watcher was not sent an event. */
        WATCH_GAP,
        /** A watcher was sent an event again. */
        WATCH_DUPLICATE,
        /** A watcher was sent events out of order. */
        WATCH_DISORDER,
        /** A watcher was sent an event that differs from the log's. */
        WATCH_WRONG,
        /** The search finds no order of a key's requests. */
        SEARCH,
        /** Nodes tell different histories at the end. */
        DISAGREEMENT,
        /** A node does not tell its history, or what is there, at the end. */
        UNREADABLE,
        /** The cluster did not serve again after all faults had ended. */
        STUCK,
        /** A node does not show the newest revision a second after the last write. */
        BEHIND,
        /** A linearizable read takes more than a second on a cluster without load or faults. */
        SLOW,
        /** Two processes serve as one member. */
        TWINS
    }

    @Override
    public String toString() {
        return kind + ": " + text;
    }
}
