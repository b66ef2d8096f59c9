package io.brain.backend.store;

import io.brain.backend.model.RevisionEvents;

/**
 * Follows the changes of all commits, in order of revision, on the publisher's thread; must not
 * block. A revision that does not follow the last one means that those between were published
 * without their changes (a new leader or follower starts from the store): a cache then forgets what
 * it holds. {@link Revisions#onPublish} announces when changes can be read.
 */
@FunctionalInterface
public interface CommitListener {
    /** The changes of a durable revision, before {@link Revisions#committed} reaches it. */
    void events(RevisionEvents events);

    /** Passes commits to this listener first, then to another. */
    default CommitListener and(CommitListener next) {
        return events -> {
            this.events(events);
            next.events(events);
        };
    }
}
