package io.brain.backend.write;

import io.brain.backend.model.KeySpan;

/**
 * Ends the evaluation of a turn that asks for the keys of a span with too many of them to walk over
 * on the sequencer: it is evaluated again once they were read ahead.
 */
final class WideSpan extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient KeySpan span;

    WideSpan(KeySpan span) {
        super("a wide span", null, false, false);
        this.span = span;
    }

    KeySpan span() {
        return span;
    }
}
