package io.brain.server.gateway;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Writes a message as JSON in parts, so that the text of a large message never is in memory as a
 * whole. As in etcd: fields in the order of their numbers and with the names of the definition,
 * default values omitted, bytes as base64, 64-bit numbers as strings, enums by name. Not
 * thread-safe.
 */
final class JsonEncoder {
    private final Deque<Level> open = new ArrayDeque<>();
    private final JsonText.Escapes escapes;

    /** Written before and after the message; null once written. */
    private String before;

    private final String after;

    /** An open object, or an open list, whose {@code list} is its field. */
    private static final class Level {
        private final Iterator<?> rest;
        private final FieldDescriptor list;
        private boolean first = true;

        Level(Iterator<?> rest, FieldDescriptor list) {
            this.rest = rest;
            this.list = list;
        }
    }

    private JsonEncoder(Message message, String before, String after, JsonText.Escapes escapes) {
        this.before = before + '{';
        this.after = after;
        this.escapes = escapes;
        open.push(object(message));
    }

    /** The response of a unary call. */
    static JsonEncoder unary(Message message) {
        return new JsonEncoder(message, "", "", JsonText.Escapes.JSON);
    }

    /** A response of a stream, as a line. */
    static JsonEncoder streamed(Message message) {
        return new JsonEncoder(message, "{\"result\":", "}\n", JsonText.Escapes.HTML);
    }

    private static Level object(Message message) {
        return new Level(message.getAllFields().entrySet().iterator(), null);
    }

    /**
     * Writes the next part.
     *
     * @param bytesMax length of {@code out} at which the part ends; one value may exceed it
     * @return true if more follows
     */
    boolean write(JsonText out, int bytesMax) {
        if (before != null) {
            out.ascii(before);
            before = null;
        }
        while (!open.isEmpty() && out.length() < bytesMax) {
            step(out, open.element());
        }
        if (open.isEmpty()) {
            out.ascii(after);
            return false;
        }
        return true;
    }

    private void step(JsonText out, Level level) {
        if (!level.rest.hasNext()) {
            open.pop();
            out.ascii(level.list == null ? "}" : "]");
            return;
        }
        if (!level.first) {
            out.ascii(",");
        }
        level.first = false;
        Object next = level.rest.next();
        if (level.list != null) {
            value(out, level.list, next);
            return;
        }
        Map.Entry<?, ?> entry = (Map.Entry<?, ?>) next;
        FieldDescriptor field = (FieldDescriptor) entry.getKey();
        out.string(field.getName(), escapes);
        out.ascii(":");
        if (field.isRepeated()) {
            out.ascii("[");
            open.push(new Level(((List<?>) entry.getValue()).iterator(), field));
        } else {
            value(out, field, entry.getValue());
        }
    }

    private void value(JsonText out, FieldDescriptor field, Object value) {
        switch (field.getType()) {
            case MESSAGE, GROUP -> {
                out.ascii("{");
                open.push(object((Message) value));
            }
            case STRING -> out.string((String) value, escapes);
            case BYTES -> {
                out.ascii("\"");
                out.bytes(Base64.getEncoder().encode(((ByteString) value).toByteArray()));
                out.ascii("\"");
            }
            case ENUM -> constant(out, (EnumValueDescriptor) value);
            case UINT32, FIXED32 -> out.ascii(Integer.toUnsignedString((Integer) value));
            case UINT64, FIXED64 -> out.quoted(Long.toUnsignedString((Long) value));
            case INT64, SINT64, SFIXED64 -> out.quoted(value.toString());
            default -> out.ascii(value.toString());
        }
    }

    private void constant(JsonText out, EnumValueDescriptor value) {
        if (value.getIndex() < 0) {
            out.ascii(Integer.toString(value.getNumber())); // unknown
        } else {
            out.string(value.getName(), escapes);
        }
    }
}
