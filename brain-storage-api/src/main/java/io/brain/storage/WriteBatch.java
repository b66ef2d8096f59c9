package io.brain.storage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Mutations that take effect atomically. Immutable.
 *
 * <p><b>Primary.</b> The first mutation is the batch's primary. If it is a guarded put ({@link
 * Mutation.PutIfAbsent} or {@link Mutation.CompareAndSet}) whose new value was never stored under
 * that key before, {@link KvStorage#resolve} can determine whether an uncertain batch was
 * committed; without such a primary it cannot. Brain's primary is the fence.
 *
 * <p>A key may occur once. Keys and values must not be empty: not every engine accepts empty keys
 * or distinguishes an empty value from an absent one.
 */
public final class WriteBatch {
    private final List<Mutation> mutations;
    private final boolean needsSpace;
    private final long bytes;

    private WriteBatch(Builder builder) {
        this.mutations = List.copyOf(builder.mutations);
        this.needsSpace = builder.needsSpace;
        this.bytes = builder.bytes;
    }

    /** The mutations, the primary first; never empty. */
    public List<Mutation> mutations() {
        return mutations;
    }

    /** The first mutation. */
    public Mutation primary() {
        return mutations.get(0);
    }

    /**
     * True if the batch stores client data. An engine with little free space may refuse these
     * batches (kind NO_SPACE) and accepts the others: deletes, alarms, cluster records.
     */
    public boolean needsSpace() {
        return needsSpace;
    }

    /** Size of all keys and values in bytes. */
    public long bytes() {
        return bytes;
    }

    /**
     * The value whose presence under the primary's key proves that the batch was committed.
     *
     * @throws IllegalArgumentException if the primary is not a guarded put: such a batch cannot be
     *     resolved
     */
    public Bytes resolvingValue() {
        Mutation primary = primary();
        if (!primary.isGuarded() || primary.newValue() == null) {
            throw new IllegalArgumentException("the primary is not a guarded put: " + primary);
        }
        return primary.newValue();
    }

    /** Starts a batch. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builder of one batch; not thread-safe. */
    public static final class Builder {
        private final List<Mutation> mutations = new ArrayList<>();
        private boolean needsSpace;
        private long bytes;

        private Builder() {}

        /**
         * Adds any mutation.
         *
         * @throws IllegalArgumentException if its key, or the value to store, is empty
         */
        public Builder add(Mutation mutation) {
            if (mutation.key().isEmpty()) {
                throw new IllegalArgumentException("empty key");
            }
            Bytes value = mutation.newValue();
            if (value != null && value.isEmpty()) {
                throw new IllegalArgumentException("empty value for " + mutation.key());
            }
            mutations.add(mutation);
            bytes += mutation.key().length() + (value == null ? 0 : value.length());
            return this;
        }

        /** Stores {@code value} under {@code key}. */
        public Builder put(Bytes key, Bytes value) {
            return add(new Mutation.Put(key, value));
        }

        /** Stores {@code value} under {@code key}, which must be absent. */
        public Builder putIfAbsent(Bytes key, Bytes value) {
            return add(new Mutation.PutIfAbsent(key, value));
        }

        /** Stores {@code value} under {@code key}, which must hold {@code expected}. */
        public Builder compareAndSet(Bytes key, Bytes expected, Bytes value) {
            return add(new Mutation.CompareAndSet(key, expected, value));
        }

        /** Removes {@code key}. */
        public Builder delete(Bytes key) {
            return add(new Mutation.Delete(key));
        }

        /** Removes {@code key}, which must hold {@code expected}. */
        public Builder deleteIfCurrent(Bytes key, Bytes expected) {
            return add(new Mutation.DeleteIfCurrent(key, expected));
        }

        /** Marks client data; see {@link WriteBatch#needsSpace}. */
        public Builder needsSpace() {
            needsSpace = true;
            return this;
        }

        /** Size of keys and values so far, in bytes. */
        public long bytes() {
            return bytes;
        }

        /** Number of mutations so far. */
        public int size() {
            return mutations.size();
        }

        /**
         * The batch.
         *
         * @throws IllegalArgumentException if it is empty
         */
        public WriteBatch build() {
            if (mutations.isEmpty()) {
                throw new IllegalArgumentException("a batch needs a mutation");
            }
            assert keysAreDistinct() : "a key occurs twice in a batch";
            return new WriteBatch(this);
        }

        private boolean keysAreDistinct() {
            Set<Bytes> seen = new HashSet<>();
            return mutations.stream().allMatch(mutation -> seen.add(mutation.key()));
        }
    }
}
