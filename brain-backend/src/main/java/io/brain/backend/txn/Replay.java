package io.brain.backend.txn;

import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.function.Consumer;

/**
 * Makes the changes of a revision of another cluster at the same revision here. Its answer is the
 * revision. Fails with a {@link Diverged}, without a change, if the result would not be the same.
 *
 * @param revision the next one of the store
 * @param changes in their order, at least one
 */
public record Replay(long revision, List<Change> changes) implements Proposal<Long> {
    /** Copies the list. */
    public Replay {
        changes = List.copyOf(changes);
    }

    /**
     * A change of a key.
     *
     * @param kv the new version; null: deleted
     */
    public record Change(Bytes key, KeyValue kv) {}

    /** The store is not what the other cluster was before the revision. */
    public static final class Diverged extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Diverged(String message) {
            super(message);
        }
    }

    @Override
    public Answer<Long> evaluate(TxnContext context) {
        if (context.revision() + 1 != revision) {
            throw new Diverged(
                    "revision %d cannot follow revision %d"
                            .formatted(revision, context.revision()));
        }
        for (Change change : changes) {
            apply(change, context);
        }
        return Answer.of(revision);
    }

    private void apply(Change change, TxnContext context) {
        KeyValue kv = change.kv();
        if (kv != null) {
            HeadRecord made = context.put(change.key(), kv.value(), kv.lease());
            require(made.kv().encoded().equals(kv.encoded()), change);
        } else {
            HeadRecord head = context.get(change.key());
            require(head.exists(), change);
            context.delete(change.key(), head);
        }
    }

    private void require(boolean same, Change change) {
        if (!same) {
            throw new Diverged(
                    "revision %d: another version of key %s precedes"
                            .formatted(revision, change.key()));
        }
    }

    @Override
    public void collectKeys(Consumer<Bytes> keys) {
        changes.forEach(change -> keys.accept(change.key()));
    }
}
