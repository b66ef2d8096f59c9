package io.brain.server.peer;

import com.google.protobuf.ByteOutput;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.brain.storage.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Stored bytes in and out of messages, without a copy where nobody else has the array. */
final class StoredBytes {
    private StoredBytes() {}

    /** The same bytes, not copied. */
    static ByteString wrap(Bytes bytes) {
        return UnsafeByteOperations.unsafeWrap(bytes.array());
    }

    /** A part of an array, not copied. */
    static ByteString wrap(byte[] array, int from, int length) {
        return UnsafeByteOperations.unsafeWrap(array, from, length);
    }

    /**
     * The bytes of a field of a message that was read with {@link PeerMethods}'s marshallers: they
     * make an array for each field, which is taken as it is.
     */
    static Bytes take(ByteString field) {
        Taken taken = new Taken();
        try {
            UnsafeByteOperations.unsafeWriteTo(field, taken);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return taken.bytes;
    }

    /** Is told of the array behind a ByteString. */
    private static final class Taken extends ByteOutput {
        private Bytes bytes = Bytes.EMPTY;

        @Override
        public void writeLazy(byte[] array, int offset, int length) {
            boolean whole = bytes.isEmpty() && offset == 0 && length == array.length;
            add(whole ? array : Arrays.copyOfRange(array, offset, offset + length));
        }

        @Override
        public void write(byte[] array, int offset, int length) {
            add(Arrays.copyOfRange(array, offset, offset + length));
        }

        @Override
        public void write(byte value) {
            add(new byte[] {value});
        }

        @Override
        public void write(ByteBuffer buffer) {
            byte[] copy = new byte[buffer.remaining()];
            buffer.duplicate().get(copy);
            add(copy);
        }

        @Override
        public void writeLazy(ByteBuffer buffer) {
            write(buffer);
        }

        private void add(byte[] more) {
            bytes = bytes.isEmpty() ? Bytes.wrap(more) : bytes.concat(Bytes.wrap(more));
        }
    }
}
