package io.brain.admin.console;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Keys and values in readable form. */
final class KeyText {
    private KeyText() {}

    /** Text unchanged; other bytes as {@code \xNN}. */
    static String of(Bytes bytes) {
        String text = text(bytes);
        return text == null ? bytes.toString() : text;
    }

    /** Decodes UTF-8; null if the bytes are not valid UTF-8 or contain control characters. */
    static String text(Bytes bytes) {
        try {
            String text =
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes.array()))
                            .toString();
            return text.codePoints().allMatch(KeyText::isShown) ? text : null;
        } catch (CharacterCodingException binary) {
            return null;
        }
    }

    /** A short description of a span. */
    static String of(KeySpan span) {
        if (span.single()) {
            return of(span.key());
        }
        if (span.key().isEmpty() && span.end() == null) {
            return "all keys";
        }
        if (span.end() == null) {
            return "from " + of(span.key()) + " on";
        }
        return span.end().equals(span.key().prefixEnd())
                ? of(span.key()) + "*"
                : "from " + of(span.key()) + " to " + of(span.end());
    }

    private static boolean isShown(int c) {
        return !Character.isISOControl(c) || c == '\n' || c == '\t' || c == '\r';
    }
}
