package io.brain.transfer.backup;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Copies a stream, and says how far it is. */
final class StreamCopy {
    private static final int BUFFER_BYTES = 1 << 20;

    /** Receives the bytes that were copied so far; may throw to cancel. */
    @FunctionalInterface
    interface Progress {
        void copied(long bytes) throws IOException;
    }

    private StreamCopy() {}

    /** Copies to the end; closes neither stream. */
    static void copy(InputStream in, OutputStream out, Progress progress) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        long done = 0;
        for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
            out.write(buffer, 0, n);
            done += n;
            progress.copied(done);
        }
    }
}
