package io.brain.conformance.compare;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.List;

/** Copies of messages with some fields changed. */
final class Fields {

    private static final int SHOWN_BYTES_MAX = 48;

    private Fields() {}

    /** What becomes of a field's value, or of one of its elements; null: it goes. */
    @FunctionalInterface
    interface Rule {
        Object apply(FieldDescriptor field, Object value);
    }

    /** The message with the rule applied to every field that is set, at every depth. */
    static Message rewrite(Message message, Rule rule) {
        Message.Builder builder = message.toBuilder();
        message.getAllFields()
                .forEach(
                        (field, value) -> {
                            builder.clearField(field);
                            List<?> values = field.isRepeated() ? (List<?>) value : List.of(value);
                            for (Object element : values) {
                                set(builder, field, value(field, element, rule));
                            }
                        });
        return builder.build();
    }

    private static void set(Message.Builder builder, FieldDescriptor field, Object value) {
        if (value == null) {
            return;
        }
        if (field.isRepeated()) {
            builder.addRepeatedField(field, value);
        } else {
            builder.setField(field, value);
        }
    }

    /** The message with long keys and values cut. */
    static Message shortened(Message message) {
        return rewrite(message, (field, value) -> value instanceof ByteString b ? cut(b) : value);
    }

    private static Object value(FieldDescriptor field, Object value, Rule rule) {
        return value instanceof Message inner ? rewrite(inner, rule) : rule.apply(field, value);
    }

    private static ByteString cut(ByteString bytes) {
        return bytes.size() <= SHOWN_BYTES_MAX
                ? bytes
                : bytes.substring(0, SHOWN_BYTES_MAX / 2)
                        .concat(ByteString.copyFromUtf8("...(" + bytes.size() + " bytes)"));
    }
}
