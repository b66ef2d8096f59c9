package io.brain.backend.txn;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.function.Consumer;

/**
 * Makes the changes of a revision of another cluster at the same revision here. Its answer is the
 * revision. Fails with a {@link Diverged}, without a change, if the result would not be the same.
 *
 * @param source the changes, at least one; the revision is the next one of the store
 */
public record Replay(RevisionEvents source) implements Proposal<Long> {
    /** The store is not what the other cluster was before the revision. */
    public static final class Diverged extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Diverged(String message) {
            super(message);
        }
    }

    @Override
    public Answer<Long> evaluate(TxnContext context) {
        long revision = source.revision();
        if (context.revision() + 1 != revision) {
            throw new Diverged(
                    "revision %d cannot follow revision %d"
                            .formatted(revision, context.revision()));
        }
        source.events().forEach(event -> apply(event, context));
        return Answer.of(revision);
    }

    private static void apply(WatchEvent event, TxnContext context) {
        if (event.isDelete()) {
            HeadRecord head = context.get(event.key());
            require(head.exists(), event);
            context.delete(event.key(), head);
        } else {
            KeyValue kv = KeyValue.decode(event.kv());
            HeadRecord made = context.put(event.key(), kv.value(), kv.lease());
            require(made.kv().encoded().equals(kv.encoded()), event);
        }
    }

    private static void require(boolean same, WatchEvent event) {
        if (!same) {
            throw new Diverged(
                    "revision %d: another version of key %s precedes"
                            .formatted(event.revision(), event.key()));
        }
    }

    @Override
    public void collectKeys(Consumer<Bytes> keys) {
        source.events().forEach(event -> keys.accept(event.key()));
    }
}
