package io.brain.conformance.linear;

import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.TextFormat;

/** Messages in one line. */
final class Text {

    private static final int LENGTH_MAX = 600;

    private Text() {}

    /** The message, cut if it is long. */
    static String of(MessageOrBuilder message) {
        String text = TextFormat.printer().emittingSingleLine(true).printToString(message).strip();
        return text.length() <= LENGTH_MAX ? text : text.substring(0, LENGTH_MAX) + "...";
    }
}
