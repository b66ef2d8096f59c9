package io.brain.transfer.mirror;

import java.io.IOException;
import java.time.Duration;

/** Brings revisions from a source to a target. Used by one thread; closes neither. */
public final class Mirror {
    private final RevisionTail tail;
    private final MirrorTarget target;

    /** The newest revision that the target took. */
    private long taken;

    /**
     * Creates a mirror.
     *
     * @param tail begins at the revision after {@code target.revision()}
     */
    public Mirror(RevisionTail tail, MirrorTarget target) throws IOException {
        this.tail = tail;
        this.target = target;
        this.taken = target.revision();
    }

    /** The newest revision that was brought to the target, applied or not. */
    public long taken() {
        return taken;
    }

    /** Revisions of the source that the target has not taken, as far as they are known. */
    public long lag() {
        return Math.max(0, tail.newest() - taken);
    }

    /**
     * Brings one revision.
     *
     * @param wait how long to wait for one
     * @return false if there was none; then everything taken is applied
     */
    public boolean step(Duration wait) throws IOException {
        SourceRevision next = tail.next(wait);
        if (next == null) {
            target.await();
            return false;
        }
        target.apply(next);
        taken = next.revision();
        return true;
    }

    /**
     * Applies everything up to a revision that the source has, or has had.
     *
     * @param timeout for the whole
     * @throws IOException also if the time is over
     */
    public void drainTo(long revision, Duration timeout) throws IOException {
        long end = System.nanoTime() + timeout.toNanos();
        while (taken < revision) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new IOException(
                        "the target has revision %d, and did not reach %d within %d s"
                                .formatted(taken, revision, timeout.toSeconds()));
            }
            step(Duration.ofNanos(left));
        }
        target.await();
    }
}
