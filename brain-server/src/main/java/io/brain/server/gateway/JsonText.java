package io.brain.server.gateway;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing JSON text, in UTF-8. Not thread-safe. */
final class JsonText {
    private byte[] bytes = new byte[256];
    private int length;

    /** Characters that are escaped. */
    enum Escapes {
        /** Those that JSON requires. */
        JSON,
        /** Also those with a meaning in HTML or in scripts. */
        HTML
    }

    int length() {
        return length;
    }

    /** The text, in the first {@link #length} bytes. */
    byte[] array() {
        return bytes;
    }

    void bytes(byte[] more) {
        if (length + more.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more.length, 2 * bytes.length));
        }
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
    }

    void ascii(String text) {
        bytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    void quoted(String ascii) {
        ascii('"' + ascii + '"');
    }

    /** Writes a string with its quotes. */
    void string(String text, Escapes escapes) {
        StringBuilder escaped = new StringBuilder(text.length() + 2);
        escaped.append('"');
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            switch (next) {
                case '"', '\\' -> escaped.append('\\').append(next);
                case '\b' -> escaped.append("\\b");
                case '\f' -> escaped.append("\\f");
                case '\n' -> escaped.append("\\n");
                case '\r' -> escaped.append("\\r");
                case '\t' -> escaped.append("\\t");
                default -> {
                    if (next < ' ' || (escapes == Escapes.HTML && isHtml(next))) {
                        escaped.append(String.format("\\u%04x", (int) next));
                    } else {
                        escaped.append(next);
                    }
                }
            }
        }
        bytes(escaped.append('"').toString().getBytes(StandardCharsets.UTF_8));
    }

    private static boolean isHtml(char next) {
        return next == '<' || next == '>' || next == '&' || next == '\u2028' || next == '\u2029';
    }
}
