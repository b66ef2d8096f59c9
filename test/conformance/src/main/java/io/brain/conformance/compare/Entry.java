package io.brain.conformance.compare;

import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import java.util.List;

/**
 * One line of a transcript.
 *
 * @param what what was asked or waited for
 * @param value what came of it, masked: a Message, or a text
 */
public record Entry(String what, Object value) {

    private static final int SHOWN_CHARS_MAX = 400;

    public Entry {
        if (!(value instanceof Message) && !(value instanceof String)) {
            throw new IllegalArgumentException("not comparable: " + value);
        }
    }

    /** Where the values differ; none if they are the same. */
    public List<String> differences(Entry other) {
        if (!what.equals(other.what)) {
            return List.of("step: " + what + " | " + other.what);
        }
        if (value instanceof Message left && other.value instanceof Message right) {
            return MessageDiff.between(left, right);
        }
        return value.equals(other.value)
                ? List.of()
                : List.of(show(value) + " | " + show(other.value));
    }

    @Override
    public String toString() {
        return what + " = " + show(value);
    }

    /** A message or text on one line, shortened where it is long. */
    public static String show(Object value) {
        String text =
                value instanceof Message message
                        ? TextFormat.printer()
                                .emittingSingleLine(true)
                                .printToString(Fields.shortened(message))
                        : (String) value;
        return text.length() <= SHOWN_CHARS_MAX
                ? text
                : text.substring(0, SHOWN_CHARS_MAX) + "… (" + text.length() + " chars)";
    }
}
