package io.brain.storage.rocksdb;

import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import io.brain.storage.WriteBatch;
import java.util.Arrays;
import java.util.Comparator;

/**
 * A batch in RocksDB's own form, as its log holds it: eight bytes for the sequence number, four for
 * the count, then per mutation a tag, the key and, if it stores one, the value, each after its
 * length. One call into the library then takes the whole batch, where adding mutation by mutation
 * costs one each.
 */
final class BatchEncoder {
    private static final int HEADER = 12;
    private static final byte DELETION = 0;
    private static final byte VALUE = 1;
    private static final Comparator<Mutation> BY_KEY = Comparator.comparing(Mutation::key);

    private final byte[] encoded;
    private int position = HEADER;

    private BatchEncoder(int length) {
        encoded = new byte[length];
    }

    /**
     * The batch without its guards.
     *
     * @throws ArithmeticException if it is longer than an array can be
     */
    static byte[] encode(WriteBatch batch) {
        // In the order of keys: a memtable inserts what is next to the one before it without a
        // search, such as a new key's version behind its revision.
        Mutation[] mutations = batch.mutations().toArray(new Mutation[0]);
        Arrays.sort(mutations, BY_KEY);
        long length = HEADER;
        for (Mutation mutation : mutations) {
            length += 1 + length(mutation.key());
            length += mutation.newValue() == null ? 0 : length(mutation.newValue());
        }
        BatchEncoder encoder = new BatchEncoder(Math.toIntExact(length));
        encoder.count(mutations.length);
        for (Mutation mutation : mutations) {
            encoder.add(mutation);
        }
        assert encoder.position == encoder.encoded.length : "a length was wrong";
        return encoder.encoded;
    }

    private void count(int count) {
        for (int i = 0; i < 4; i++) {
            encoded[8 + i] = (byte) (count >>> (8 * i));
        }
    }

    private void add(Mutation mutation) {
        Bytes value = mutation.newValue();
        encoded[position++] = value == null ? DELETION : VALUE;
        add(mutation.key());
        if (value != null) {
            add(value);
        }
    }

    private void add(Bytes bytes) {
        int rest = bytes.length();
        while (rest >= 0x80) {
            encoded[position++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        encoded[position++] = (byte) rest;
        System.arraycopy(bytes.array(), 0, encoded, position, bytes.length());
        position += bytes.length();
    }

    private static long length(Bytes bytes) {
        int bits = 32 - Integer.numberOfLeadingZeros(bytes.length() | 1);
        return (bits + 6) / 7 + (long) bytes.length();
    }
}
