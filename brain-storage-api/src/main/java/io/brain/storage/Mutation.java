package io.brain.storage;

import java.util.Objects;

/**
 * One step of a {@link WriteBatch}. The guarded ones ({@link PutIfAbsent}, {@link CompareAndSet},
 * {@link DeleteIfCurrent}) state what must be stored under the key before the batch; if one does
 * not hold, the whole batch is refused with {@link CommitResult.Conflict}.
 */
public sealed interface Mutation {
    /** The key that the step touches. */
    Bytes key();

    /** What the key holds after the step; null if nothing. */
    Bytes newValue();

    /** True if the step depends on what is stored, so that {@link #holds} can be false. */
    boolean isGuarded();

    /** True if the step may be taken where {@code actual} is stored; null stands for "nothing". */
    boolean holds(Bytes actual);

    /** Stores {@code value}, whatever is there. */
    record Put(Bytes key, Bytes value) implements Mutation {
        @Override
        public Bytes newValue() {
            return value;
        }

        @Override
        public boolean isGuarded() {
            return false;
        }

        @Override
        public boolean holds(Bytes actual) {
            return true;
        }
    }

    /** Stores {@code value} if the key is absent. */
    record PutIfAbsent(Bytes key, Bytes value) implements Mutation {
        @Override
        public Bytes newValue() {
            return value;
        }

        @Override
        public boolean isGuarded() {
            return true;
        }

        @Override
        public boolean holds(Bytes actual) {
            return actual == null;
        }
    }

    /** Stores {@code value} if exactly {@code expected} is there. */
    record CompareAndSet(Bytes key, Bytes expected, Bytes value) implements Mutation {
        /** Checks that {@code expected} is not null: an absent key is {@link PutIfAbsent}'s. */
        public CompareAndSet {
            Objects.requireNonNull(expected, "expected");
        }

        @Override
        public Bytes newValue() {
            return value;
        }

        @Override
        public boolean isGuarded() {
            return true;
        }

        @Override
        public boolean holds(Bytes actual) {
            return expected.equals(actual);
        }
    }

    /** Removes the key, which may be absent. */
    record Delete(Bytes key) implements Mutation {
        @Override
        public Bytes newValue() {
            return null;
        }

        @Override
        public boolean isGuarded() {
            return false;
        }

        @Override
        public boolean holds(Bytes actual) {
            return true;
        }
    }

    /** Removes the key if exactly {@code expected} is there. */
    record DeleteIfCurrent(Bytes key, Bytes expected) implements Mutation {
        /** Checks that {@code expected} is not null. */
        public DeleteIfCurrent {
            Objects.requireNonNull(expected, "expected");
        }

        @Override
        public Bytes newValue() {
            return null;
        }

        @Override
        public boolean isGuarded() {
            return true;
        }

        @Override
        public boolean holds(Bytes actual) {
            return expected.equals(actual);
        }
    }
}
