package io.brain.server.grpc;

import com.google.protobuf.ByteOutput;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.brain.storage.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** Stored bytes in messages, copied only if necessary. */
public final class ByteStrings {
    private ByteStrings() {}

    /** The bytes, not copied. */
    public static ByteString wrap(Bytes bytes) {
        return UnsafeByteOperations.unsafeWrap(bytes.array());
    }

    /** A part of an array, not copied. */
    public static ByteString wrap(byte[] array, int from, int length) {
        return UnsafeByteOperations.unsafeWrap(array, from, length);
    }

    /** The bytes, not copied if they occupy a whole array, as fields of parsed messages do. */
    public static Bytes unwrap(ByteString bytes) {
        WholeArray output = new WholeArray(bytes.size());
        try {
            UnsafeByteOperations.unsafeWriteTo(bytes, output);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return Bytes.wrap(output.array == null ? bytes.toByteArray() : output.array);
    }

    /** Keeps the array that is written to it if it is all the content. */
    private static final class WholeArray extends ByteOutput {
        private final int length;
        private byte[] array;

        WholeArray(int length) {
            this.length = length;
        }

        @Override
        public void writeLazy(byte[] value, int offset, int count) {
            if (count == length && value.length == length) {
                array = value;
            }
        }

        @Override
        public void writeLazy(ByteBuffer value) {}

        @Override
        public void write(byte value) {}

        @Override
        public void write(byte[] value, int offset, int count) {}

        @Override
        public void write(ByteBuffer value) {}
    }
}
