package io.brain.conformance.script;

import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Messages as they are on the wire, so that what no client would send can be sent. */
public final class RawBytes implements MethodDescriptor.Marshaller<byte[]> {

    public static final RawBytes MARSHALLER = new RawBytes();

    private RawBytes() {}

    @Override
    public InputStream stream(byte[] message) {
        return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
        try {
            return stream.readAllBytes();
        } catch (IOException lost) {
            throw new UncheckedIOException(lost);
        }
    }
}
