package io.brain.admin.check;

/** Tells how far one part of a check is, once for many records. */
final class Ticker {
    private static final int RECORDS = 1024;

    private final CheckProgress progress;
    private final String what;
    private final long whole;
    private int records;

    /**
     * At the begin of a part.
     *
     * @param whole what there is to be done; 0 or less if nobody knows
     */
    Ticker(CheckProgress progress, String what, long whole) {
        this.progress = progress;
        this.what = what;
        this.whole = whole;
        progress.at(what, 0);
    }

    /** A record was read, and so much is done. */
    void reached(long done) {
        if (++records % RECORDS == 0 && whole > 0) {
            progress.at(what, Math.max(0, Math.min(1, (double) done / whole)));
        }
    }

    /** All is done. */
    void end() {
        progress.at(what, 1);
    }
}
