package io.brain.server.grpc;

import io.grpc.Codec;
import io.grpc.Decompressor;
import io.grpc.DecompressorRegistry;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/**
 * Decompresses requests. grpc-java's own codec reads the header before the message is parsed, and
 * ends the call of a broken one without a status, after it has logged the exception.
 */
public final class Gzip implements Decompressor {
    /** gzip, and no compression. */
    public static final DecompressorRegistry REGISTRY =
            DecompressorRegistry.emptyInstance()
                    .with(Codec.Identity.NONE, false)
                    .with(new Gzip(), true);

    private Gzip() {}

    @Override
    public String getMessageEncoding() {
        return "gzip";
    }

    @Override
    public InputStream decompress(InputStream compressed) {
        return new Message(compressed);
    }

    /** The text of the status of a message that cannot be decompressed, in grpc-go's words. */
    static String refusal(IOException damaged) {
        String reason = damaged instanceof EOFException ? "unexpected EOF" : damaged.getMessage();
        return "grpc: failed to decompress the message: " + reason;
    }

    /** Reads the header with the first bytes. */
    private static final class Message extends InputStream {
        private final InputStream compressed;
        private InputStream bytes;

        Message(InputStream compressed) {
            this.compressed = compressed;
        }

        private InputStream open() throws IOException {
            if (bytes == null) {
                bytes = new GZIPInputStream(compressed);
            }
            return bytes;
        }

        @Override
        public int read() throws IOException {
            return open().read();
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            return open().read(into, from, length);
        }

        @Override
        public void close() throws IOException {
            compressed.close();
        }
    }
}
