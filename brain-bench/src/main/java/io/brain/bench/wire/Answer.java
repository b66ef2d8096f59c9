package io.brain.bench.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * The numbers of an answer that the load generator checks, from its top-level fields. The rest is
 * skipped, so that a large list costs one step per key and no copy (CodedInputStream: three times
 * the CPU).
 *
 * @param revision of the header
 * @param items entries of field 2 if it is repeated: the KeyValues of a range
 * @param second field 2 if it is a number: success of a transaction, or ID of a lease
 * @param third field 3 if it is a number: more, or a TTL
 * @param fourth field 4: a range's count
 */
public record Answer(long revision, int items, long second, long third, long fourth) {

    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;
    private static final int HEADER_REVISION = 3;

    /** Of a transaction. */
    public boolean succeeded() {
        return second != 0;
    }

    /** Of a grant. */
    public long leaseId() {
        return second;
    }

    /** Of a keep-alive: seconds; 0 if there is no such lease. */
    public long ttl() {
        return third;
    }

    /** Of a range: whether the limit truncated it. */
    public boolean more() {
        return third != 0;
    }

    /** Of a range: number of keys, regardless of the limit. */
    public long count() {
        return fourth;
    }

    /**
     * Reads one message.
     *
     * @throws IOException if it is malformed
     */
    public static Answer read(InputStream in) throws IOException {
        long revision = 0;
        int items = 0;
        long[] numbers = new long[5];
        for (int tag = in.read(); tag >= 0; tag = in.read()) {
            int field = tag >>> 3;
            switch (tag & 7) {
                case VARINT -> {
                    long value = varint(in);
                    if (field < numbers.length) {
                        numbers[field] = value;
                    }
                }
                case BYTES -> {
                    int length = (int) varint(in);
                    if (field == 1) {
                        revision = headerRevision(in, length);
                    } else {
                        items += field == 2 ? 1 : 0;
                        in.skipNBytes(length);
                    }
                }
                default -> throw new IOException("unexpected field " + field);
            }
        }
        return new Answer(revision, items, numbers[2], numbers[3], numbers[4]);
    }

    private static long headerRevision(InputStream in, int length) throws IOException {
        long revision = 0;
        int left = length;
        while (left > 0) {
            int tag = in.read();
            left--;
            switch (tag & 7) {
                case VARINT -> {
                    long value = varint(in);
                    left -= varintBytes(value);
                    if (tag >>> 3 == HEADER_REVISION) {
                        revision = value;
                    }
                }
                case FIXED64 -> left -= skip(in, 8);
                case FIXED32 -> left -= skip(in, 4);
                default -> throw new IOException("not a header");
            }
        }
        return revision;
    }

    private static int skip(InputStream in, int bytes) throws IOException {
        in.skipNBytes(bytes);
        return bytes;
    }

    private static long varint(InputStream in) throws IOException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("the message ends within a number");
            }
            value |= (long) (next & 0x7f) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new IOException("a number of more than ten bytes");
    }

    /** Encoded length of a number. */
    private static int varintBytes(long value) {
        return (63 - Long.numberOfLeadingZeros(value | 1)) / 7 + 1;
    }
}
