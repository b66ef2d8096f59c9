package io.brain.backend.store;

import io.brain.backend.model.RevisionEvents;

/** Told of every commit, in revision order, by the one thread that publishes. Must not block. */
public interface CommitListener {
    /** A durable revision's changes, before {@link Revisions#committed} reaches it. */
    void events(RevisionEvents events);

    /** {@link Revisions#committed} has just moved to {@code point}; all its events were told. */
    void committed(ReadPoint point);

    /** Tells this listener first, then another. */
    default CommitListener and(CommitListener next) {
        CommitListener first = this;
        return new CommitListener() {
            @Override
            public void events(RevisionEvents events) {
                first.events(events);
                next.events(events);
            }

            @Override
            public void committed(ReadPoint point) {
                first.committed(point);
                next.committed(point);
            }
        };
    }
}
