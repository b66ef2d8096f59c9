package io.brain.server.grpc;

import com.google.common.base.Utf8;
import io.grpc.InternalMetadata;
import io.grpc.Metadata;
import java.nio.charset.StandardCharsets;

/** The header {@code client-api-version}: the version of the client's library. */
final class ClientVersion {
    private static final String UNKNOWN = "unknown";

    /** Its bytes, because grpc-java replaces those that are not ASCII. */
    private static final Metadata.Key<byte[]> KEY =
            InternalMetadata.keyOf("client-api-version", new Unchanged());

    private ClientVersion() {}

    /** The first value, as in etcd; "unknown" if there is none, null if it is not UTF-8. */
    static String of(Metadata headers) {
        Iterable<byte[]> values = headers.getAll(KEY);
        if (values == null) {
            return UNKNOWN;
        }
        byte[] first = values.iterator().next();
        return Utf8.isWellFormed(first) ? new String(first, StandardCharsets.UTF_8) : null;
    }

    private static final class Unchanged
            implements InternalMetadata.TrustedAsciiMarshaller<byte[]> {
        @Override
        public byte[] toAsciiString(byte[] value) {
            return value;
        }

        @Override
        public byte[] parseAsciiString(byte[] serialized) {
            return serialized;
        }
    }
}
