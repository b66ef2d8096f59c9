package io.brain.backend.txn;

import io.brain.storage.Bytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Newest versions that the history has already, because a wide delete will replace them: its own
 * batch then does not write them (docs/decisions/0020). Sequencer thread only.
 */
public final class EarlyHistory {
    private final Map<Bytes, Long> revisions = new HashMap<>();

    /** A version that is to be replaced. */
    public record Version(Bytes key, HeadRecord head) {}

    /** Adds versions that are durable in the history. */
    public void add(List<Version> versions) {
        versions.forEach(version -> revisions.put(version.key(), version.head().revision()));
    }

    /** True if the history has this version. */
    public boolean has(Bytes key, HeadRecord head) {
        Long revision = revisions.get(key);
        return revision != null && revision == head.revision();
    }
}
