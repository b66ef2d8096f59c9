package io.brain.backend.read;

import io.brain.backend.count.KeyCounts;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.revision.CommitListener;
import io.brain.backend.revision.ReadPoint;

/**
 * What reads need not ask the engine for. Told of every commit before its revision is published.
 *
 * @param counts how many keys exist
 * @param keys single keys that were read lately
 */
public record KnownState(KeyCounts counts, NewestKeys keys) implements CommitListener {
    /**
     * Nothing known.
     *
     * @param revision the newest committed revision: the first one that is told of follows it
     */
    public static KnownState nothing(ReadSettings settings, long revision) {
        return new KnownState(
                new KeyCounts(revision), new NewestKeys(settings.newestBytesMax(), revision));
    }

    @Override
    public void events(RevisionEvents events) {
        counts.events(events);
        keys.events(events);
    }

    @Override
    public void committed(ReadPoint point) {}
}
