package io.brain.storage.rocksdb;

import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import io.brain.storage.WriteBatch;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Encodes a batch in RocksDB's log format: sequence number (8 bytes), count (4), then per mutation
 * a tag, the key and, for a put, the value, each prefixed with its length. The batch then needs one
 * JNI call instead of one per mutation.
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
     * Encodes a batch without its guards.
     *
     * @throws ArithmeticException if it exceeds the maximum size of an array
     */
    static byte[] encode(WriteBatch batch) {
        // Sorted by key: a memtable inserts adjacent keys without a search, for example a new key's
        // version after its revision.
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
        assert encoder.position == encoder.encoded.length : "wrong length";
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
