package io.brain.backend.txn;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;

/**
 * A transaction deletes so much that what it replaces should be written to the history first, with
 * {@link EarlyHistory}; then it is evaluated again.
 */
public final class WideDeleteException extends BackendException {
    private static final long serialVersionUID = 1L;

    private final transient KeySpan span;

    /** A wide delete of a span. */
    public WideDeleteException(KeySpan span) {
        super(ErrorKind.INTERNAL); // Sequencer.submitTxn catches it
        this.span = span;
    }

    /** What the transaction deletes. */
    public KeySpan span() {
        return span;
    }
}
