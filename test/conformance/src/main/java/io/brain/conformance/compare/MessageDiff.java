package io.brain.conformance.compare;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Where two messages of one type differ. */
public final class MessageDiff {

    private static final int SHOWN_CHARS_MAX = 120;

    private final List<String> differences = new ArrayList<>();

    private MessageDiff() {}

    /** Each difference as "path: left | right"; none if the messages are the same. */
    public static List<String> between(Message left, Message right) {
        if (!left.getDescriptorForType().equals(right.getDescriptorForType())) {
            return List.of("type: " + type(left) + " | " + type(right));
        }
        MessageDiff diff = new MessageDiff();
        diff.messages("", left, right);
        return diff.differences;
    }

    private void messages(String path, Message left, Message right) {
        for (FieldDescriptor field : left.getDescriptorForType().getFields()) {
            String at = path.isEmpty() ? field.getName() : path + "." + field.getName();
            if (field.isRepeated()) {
                lists(at, field, left, right);
            } else if (field.hasPresence() && left.hasField(field) != right.hasField(field)) {
                add(at, presence(field, left), presence(field, right));
            } else {
                values(at, field, left.getField(field), right.getField(field));
            }
        }
        if (!left.getUnknownFields().equals(right.getUnknownFields())) {
            add(path + " unknown fields", left.getUnknownFields(), right.getUnknownFields());
        }
    }

    private void lists(String at, FieldDescriptor field, Message left, Message right) {
        int leftSize = left.getRepeatedFieldCount(field);
        int rightSize = right.getRepeatedFieldCount(field);
        if (leftSize != rightSize) {
            add(at + ".size", leftSize, rightSize);
        }
        for (int i = 0; i < Math.min(leftSize, rightSize); i++) {
            values(
                    at + "[" + i + "]",
                    field,
                    left.getRepeatedField(field, i),
                    right.getRepeatedField(field, i));
        }
    }

    private void values(String at, FieldDescriptor field, Object left, Object right) {
        if (left instanceof Message l && right instanceof Message r) {
            messages(at, l, r);
        } else if (!left.equals(right)) {
            add(at, show(field, left), show(field, right));
        }
    }

    private void add(String at, Object left, Object right) {
        differences.add(at + ": " + left + " | " + right);
    }

    private static String presence(FieldDescriptor field, Message message) {
        return message.hasField(field) ? show(field, message.getField(field)) : "absent";
    }

    private static String show(FieldDescriptor field, Object value) {
        String text =
                value instanceof Message message
                        ? "{" + Entry.show(message) + "}"
                        : scalar(field, value);
        return text.length() <= SHOWN_CHARS_MAX
                ? text
                : text.substring(0, SHOWN_CHARS_MAX) + "… (" + text.length() + " chars)";
    }

    private static String scalar(FieldDescriptor field, Object value) {
        StringBuilder text = new StringBuilder();
        try {
            TextFormat.printer().printFieldValue(field, value, text);
        } catch (IOException e) {
            throw new IllegalStateException("a StringBuilder does not fail", e);
        }
        return text.toString();
    }

    private static String type(Message message) {
        return message.getDescriptorForType().getFullName();
    }
}
