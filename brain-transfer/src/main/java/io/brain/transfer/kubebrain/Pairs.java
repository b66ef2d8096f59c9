package io.brain.transfer.kubebrain;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** Stored pairs in ascending order of keys. Used by one thread. */
public interface Pairs extends Closeable {
    /** Moves to the next pair; false at the end. */
    boolean next() throws IOException;

    Bytes key();

    Bytes value();

    /** All pairs of a snapshot. */
    static Pairs of(Snapshot snapshot) {
        Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD);
        return new Pairs() {
            @Override
            public boolean next() {
                return cursor.next();
            }

            @Override
            public Bytes key() {
                return cursor.key();
            }

            @Override
            public Bytes value() {
                return cursor.value();
            }

            @Override
            public void close() {
                cursor.close();
            }
        };
    }

    /**
     * The pairs of a dump: a line for each, with key and value in hexadecimal and a blank between.
     */
    static Pairs ofDump(Path file) throws IOException {
        BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.US_ASCII);
        return new Pairs() {
            private long number;
            private Bytes key = Bytes.EMPTY;
            private Bytes value = Bytes.EMPTY;

            @Override
            public boolean next() throws IOException {
                String line = lines.readLine();
                if (line == null) {
                    return false;
                }
                number++;
                Bytes before = key;
                try {
                    int blank = line.indexOf(' ');
                    key = Bytes.wrap(HexFormat.of().parseHex(line, 0, Math.max(0, blank)));
                    value = Bytes.wrap(HexFormat.of().parseHex(line, blank + 1, line.length()));
                } catch (IllegalArgumentException malformed) {
                    throw new IOException(
                            "line %d: not a key and a value in hexadecimal".formatted(number));
                }
                if (key.compareTo(before) <= 0) {
                    throw new IOException("line %d: not in order of keys".formatted(number));
                }
                return true;
            }

            @Override
            public Bytes key() {
                return key;
            }

            @Override
            public Bytes value() {
                return value;
            }

            @Override
            public void close() throws IOException {
                lines.close();
            }
        };
    }
}
