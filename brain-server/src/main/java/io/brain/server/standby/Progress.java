package io.brain.server.standby;

/**
 * How far a standby has followed its source.
 *
 * @param revision the newest that this server has
 * @param newest the newest that the source is known to have
 * @param trouble why the source is not followed now; null: it is
 */
public record Progress(long revision, long newest, String trouble) {
    /** Revisions that this server does not have, as far as they are known. */
    public long lag() {
        return Math.max(0, newest - revision);
    }
}
