package io.brain.storage;

import java.util.Objects;

/**
 * One change of a {@link WriteBatch}. The guarded ones ({@link PutIfAbsent}, {@link CompareAndSet},
 * {@link DeleteIfCurrent}) require a state of the key before the batch; if one does not hold, the
 * whole batch is refused with {@link CommitResult.Conflict}.
 */
public sealed interface Mutation {
    /** The key that changes. */
    Bytes key();

    /** Value after the mutation; null if the key is removed. */
    Bytes newValue();

    /** True if the mutation has a guard, so that {@link #holds} can be false. */
    boolean isGuarded();

    /** True if the guard accepts the stored value {@code actual}; null for an absent key. */
    boolean holds(Bytes actual);

    /** Stores {@code value} unconditionally. */
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

    /** Stores {@code value} if the stored value equals {@code expected}. */
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

    /** Removes the key if the stored value equals {@code expected}. */
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
