package io.brain.backend.revision;

import io.brain.backend.model.RevisionEvents;

/** Told of every commit, in revision order, by the one thread that publishes. Must not block. */
public interface CommitListener {
    /** A durable revision's changes, before {@link Revisions#committed} reaches it. */
    void events(RevisionEvents events);

    /** {@link Revisions#committed} has just moved to {@code point}; all its events were told. */
    void committed(ReadPoint point);
}
