package io.brain.server.gateway;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Cuts a stream of bytes into JSON values, which may follow each other with or without white space.
 * It only finds their ends; {@link JsonDecoder} checks them. Not thread-safe.
 */
final class JsonValues {
    private byte[] bytes = new byte[256];
    private int length;

    /** Number of bytes that were scanned. */
    private int scanned;

    /** Begin of the value; negative before it. */
    private int begin = -1;

    /** End of the value; negative while it is incomplete. */
    private int end = -1;

    private int depth;
    private boolean inString;
    private boolean escaped;

    /** Appends bytes. */
    void add(ByteBuffer part) {
        int count = part.remaining();
        if (length + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + count, 2 * bytes.length));
        }
        part.get(bytes, length, count);
        length += count;
    }

    /** Number of bytes that were not taken. */
    int length() {
        return length;
    }

    /** True if a value is complete. */
    boolean hasNext() {
        while (end < 0 && scanned < length) {
            scan(bytes[scanned]);
        }
        return end >= 0;
    }

    /** True if what follows the last value is not only white space. */
    boolean hasRest() {
        return hasNext() || begin >= 0;
    }

    /** Takes the complete value; or, behind the last byte, what there is. */
    byte[] next() {
        int last = end < 0 ? length : end;
        byte[] value = Arrays.copyOfRange(bytes, Math.max(0, begin), last);
        bytes = Arrays.copyOfRange(bytes, last, Math.max(length, last + 256));
        length -= last;
        scanned = 0;
        begin = -1;
        end = -1;
        depth = 0;
        inString = false;
        escaped = false;
        return value;
    }

    private void scan(byte next) {
        boolean space = next == ' ' || next == '\n' || next == '\r' || next == '\t';
        if (begin < 0 && space) {
            scanned++;
            return;
        }
        boolean first = begin < 0;
        if (first) {
            begin = scanned;
        }
        if (inString) {
            inString = escaped || next != '"';
            escaped = !escaped && next == '\\';
            complete(!inString && depth == 0);
            return;
        }
        switch (next) {
            case '"' -> {
                // A string behind a number or a literal begins another value.
                if (depth == 0 && !first) {
                    end = scanned;
                } else {
                    inString = true;
                    scanned++;
                }
            }
            case '{', '[' -> {
                if (depth == 0 && !first) {
                    end = scanned;
                } else {
                    depth++;
                    scanned++;
                }
            }
            case '}', ']' -> {
                depth--;
                complete(depth <= 0);
            }
            default -> {
                if (space && depth == 0) {
                    end = scanned;
                } else {
                    scanned++;
                }
            }
        }
    }

    private void complete(boolean value) {
        scanned++;
        if (value) {
            end = scanned;
        }
    }
}
