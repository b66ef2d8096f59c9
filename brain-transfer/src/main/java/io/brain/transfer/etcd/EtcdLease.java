package io.brain.transfer.etcd;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A lease.
 *
 * @param ttl granted time to live in seconds
 * @param remaining seconds left at the last checkpoint; 0 if there was none
 */
public record EtcdLease(long id, long ttl, long remaining) {
    private static final int ID = 1 << 3 | WireFormat.WIRETYPE_VARINT;
    private static final int TTL = 2 << 3 | WireFormat.WIRETYPE_VARINT;
    private static final int REMAINING = 3 << 3 | WireFormat.WIRETYPE_VARINT;

    /** Reads a record of {@link EtcdSchema#LEASE}. */
    static EtcdLease decode(byte[] key, byte[] stored) throws EtcdException {
        long id = 0;
        long ttl = 0;
        long remaining = 0;
        CodedInputStream in = CodedInputStream.newInstance(stored);
        try {
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                switch (tag) {
                    case ID -> id = in.readInt64();
                    case TTL -> ttl = in.readInt64();
                    case REMAINING -> remaining = in.readInt64();
                    default -> in.skipField(tag);
                }
            }
        } catch (IOException malformed) {
            throw new EtcdException("malformed lease");
        }
        boolean named = key.length == Long.BYTES && ByteBuffer.wrap(key).getLong() == id;
        if (!named || id == 0 || ttl <= 0 || remaining < 0) {
            throw new EtcdException(
                    "lease %x with a TTL of %d s, %d s left".formatted(id, ttl, remaining));
        }
        return new EtcdLease(id, ttl, remaining);
    }
}
