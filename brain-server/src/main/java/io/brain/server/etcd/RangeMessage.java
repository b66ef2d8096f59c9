package io.brain.server.etcd;

import io.brain.backend.wire.PackedKvs;
import io.brain.proto.stored.RangeResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * A RangeResponse in the form in which it is sent: fields before the KeyValues, the KeyValues as
 * they are packed already, fields behind them.
 *
 * @param kvs null if {@code head} is all there is
 * @param length bytes of all
 */
record RangeMessage(RangeResponse head, PackedKvs kvs, RangeResponse tail, int length) {

    /** An answer that is a message as it is. */
    static RangeMessage of(RangeResponse message) {
        RangeResponse none = RangeResponse.getDefaultInstance();
        return new RangeMessage(message, null, none, message.getSerializedSize());
    }

    /** An answer whose KeyValues are packed; {@code head} and {@code tail} have none. */
    static RangeMessage of(RangeResponse head, PackedKvs kvs, RangeResponse tail) {
        long length = kvs.bytes() + head.getSerializedSize() + tail.getSerializedSize();
        return new RangeMessage(head, kvs, tail, Math.toIntExact(length));
    }

    void writeTo(OutputStream out) throws IOException {
        head.writeTo(out);
        if (kvs == null) {
            return;
        }
        try {
            kvs.forEachPart((array, from, count) -> write(out, array, from, count));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        tail.writeTo(out);
    }

    private static void write(OutputStream out, byte[] array, int from, int length) {
        try {
            out.write(array, from, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
