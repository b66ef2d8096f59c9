package io.brain.conformance.script;

import com.google.protobuf.Message;
import io.grpc.Status;

/** How a call ended: with an answer, or with a status. */
public sealed interface Outcome<A extends Message> {

    /** The answer, masked. Throws if the call was refused, which ends a scenario that needs it. */
    A get();

    /** What a transcript holds: the message, or the status as "CODE: text". */
    Object comparable();

    /** The server's answer, masked. */
    record Answer<A extends Message>(A message) implements Outcome<A> {
        @Override
        public A get() {
            return message;
        }

        @Override
        public Object comparable() {
            return message;
        }
    }

    /** The server's refusal. */
    record Refusal<A extends Message>(Status status) implements Outcome<A> {
        @Override
        public A get() {
            throw new IllegalStateException("refused: " + comparable());
        }

        @Override
        public Object comparable() {
            return text(status);
        }
    }

    /**
     * A status as "CODE: text". Go's protobuf library puts a plain or a no-break space after its
     * name, at random from build to build.
     */
    static String text(Status status) {
        String description = status.getDescription() == null ? "" : status.getDescription();
        return status.getCode() + ": " + description.replace('\u00a0', ' ');
    }
}
