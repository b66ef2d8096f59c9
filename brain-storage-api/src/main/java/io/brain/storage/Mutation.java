package io.brain.storage;

/**
 * One step of a {@link WriteBatch}. The guarded ones ({@link PutIfAbsent}, {@link CompareAndSet},
 * {@link DeleteIfCurrent}) state what must be stored under the key before the batch; if one does
 * not hold, the whole batch is refused with {@link CommitResult.Conflict}.
 */
public sealed interface Mutation {
    /** The key that the step touches. */
    Bytes key();

    /** Stores {@code value}, whatever is there. */
    record Put(Bytes key, Bytes value) implements Mutation {}

    /** Stores {@code value} if the key is absent. */
    record PutIfAbsent(Bytes key, Bytes value) implements Mutation {}

    /** Stores {@code value} if exactly {@code expected} is there. */
    record CompareAndSet(Bytes key, Bytes expected, Bytes value) implements Mutation {}

    /** Removes the key, which may be absent. */
    record Delete(Bytes key) implements Mutation {}

    /** Removes the key if exactly {@code expected} is there. */
    record DeleteIfCurrent(Bytes key, Bytes expected) implements Mutation {}
}
