package io.brain.server.gateway;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import java.io.EOFException;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;

/**
 * Makes messages of JSON, as etcd does: fields by both of their names, bytes as base64, numbers
 * also as strings, enums by name or number; unknown fields and unknown names of enums are ignored.
 */
final class JsonDecoder {
    /** Messages nest at most as deep in gRPC calls. */
    private static final int NESTING_MAX = 300;

    /** Depth of ignored values; as in etcd. */
    private static final int IGNORED_NESTING_MAX = 10_000;

    private static final String UNEXPECTED = "proto: syntax error: unexpected token";

    private final JsonReader in;
    private int depth;

    private JsonDecoder(String text) {
        in = new JsonReader(new StringReader(text));
        in.setStrictness(Strictness.STRICT);
        in.setNestingLimit(IGNORED_NESTING_MAX);
    }

    /**
     * Parses a message.
     *
     * @param prototype of the message's type
     */
    static Message decode(byte[] json, Message prototype) throws JsonException {
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json)).toString();
            JsonDecoder decoder = new JsonDecoder(text);
            Message message = decoder.message(prototype.newBuilderForType()).build();
            if (decoder.in.peek() != JsonToken.END_DOCUMENT) {
                throw new JsonException(UNEXPECTED);
            }
            return message;
        } catch (CharacterCodingException broken) {
            throw new JsonException("proto: syntax error: invalid UTF-8 in string");
        } catch (EOFException incomplete) {
            throw new JsonException("unexpected EOF");
        } catch (MalformedJsonException | IllegalStateException malformed) {
            throw new JsonException("proto: syntax error: invalid JSON");
        } catch (IOException impossible) {
            throw new JsonException("proto: syntax error: unreadable JSON");
        }
    }

    private Message.Builder message(Message.Builder message) throws IOException, JsonException {
        if (in.peek() != JsonToken.BEGIN_OBJECT) {
            throw new JsonException(UNEXPECTED);
        }
        depth++;
        if (depth > NESTING_MAX) {
            throw new JsonException("proto: exceeded max recursion depth");
        }
        Set<Object> seen = new HashSet<>();
        in.beginObject();
        while (in.hasNext()) {
            String name = checked(in.nextName());
            FieldDescriptor field = find(message.getDescriptorForType(), name);
            if (field == null) {
                skip();
                continue;
            }
            if (!seen.add(field)) {
                throw new JsonException("proto: duplicate field \"" + field.getName() + '"');
            }
            if (in.peek() == JsonToken.NULL) {
                in.nextNull();
                continue;
            }
            OneofDescriptor choice = field.getContainingOneof();
            if (choice != null && !seen.add(choice)) {
                throw new JsonException("proto: oneof " + choice.getFullName() + " is already set");
            }
            read(message, field);
        }
        in.endObject();
        depth--;
        return message;
    }

    /** The field of that name in JSON, or in the definition; null if there is none. */
    private static FieldDescriptor find(Descriptor type, String name) {
        for (FieldDescriptor field : type.getFields()) {
            if (field.getJsonName().equals(name)) {
                return field;
            }
        }
        return type.findFieldByName(name);
    }

    private void skip() throws IOException, JsonException {
        int open = 0;
        do {
            switch (in.peek()) {
                case BEGIN_ARRAY -> {
                    in.beginArray();
                    open++;
                }
                case BEGIN_OBJECT -> {
                    in.beginObject();
                    open++;
                }
                case END_ARRAY -> {
                    in.endArray();
                    open--;
                }
                case END_OBJECT -> {
                    in.endObject();
                    open--;
                }
                case NAME -> {
                    var unused = checked(in.nextName());
                }
                case STRING -> {
                    var unused = checked(in.nextString());
                }
                default -> in.skipValue();
            }
        } while (open > 0);
    }

    private void read(Message.Builder message, FieldDescriptor field)
            throws IOException, JsonException {
        if (!field.isRepeated()) {
            Object value = value(message, field);
            if (value != null) {
                message.setField(field, value);
            }
            return;
        }
        if (in.peek() != JsonToken.BEGIN_ARRAY) {
            throw new JsonException(UNEXPECTED);
        }
        in.beginArray();
        while (in.hasNext()) {
            Object value = value(message, field);
            if (value != null) {
                message.addRepeatedField(field, value);
            }
        }
        in.endArray();
    }

    /** Null for an unknown name of an enum. */
    private Object value(Message.Builder message, FieldDescriptor field)
            throws IOException, JsonException {
        if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
            return message(message.newBuilderForField(field)).build();
        }
        JsonToken token = in.peek();
        if (token == JsonToken.BOOLEAN && field.getType() == FieldDescriptor.Type.BOOL) {
            return in.nextBoolean();
        }
        if (token != JsonToken.STRING && token != JsonToken.NUMBER) {
            throw invalid(field);
        }
        boolean string = token == JsonToken.STRING;
        String text = checked(in.nextString());
        return switch (field.getType()) {
            case STRING -> string ? text : refuse(field);
            case BYTES -> string ? bytes(text, field) : refuse(field);
            case ENUM -> string ? named(text, field) : numbered(text, field);
            case INT32, SINT32, SFIXED32 -> number(text, string, 32, true, field).intValue();
            case UINT32, FIXED32 -> number(text, string, 32, false, field).intValue();
            case INT64, SINT64, SFIXED64 -> number(text, string, 64, true, field).longValue();
            case UINT64, FIXED64 -> number(text, string, 64, false, field).longValue();
            default -> refuse(field);
        };
    }

    private static Object refuse(FieldDescriptor field) throws JsonException {
        throw invalid(field);
    }

    private static JsonException invalid(FieldDescriptor field) {
        String type = field.getType().name().toLowerCase(java.util.Locale.ROOT);
        return new JsonException(
                "proto: invalid value for " + type + " field " + field.getJsonName());
    }

    private static BigInteger number(
            String text, boolean string, int bits, boolean signed, FieldDescriptor field)
            throws JsonException {
        boolean padded = string && !text.strip().equals(text);
        BigInteger number = padded ? null : JsonNumber.parse(text, bits, signed);
        if (number == null) {
            throw invalid(field);
        }
        return number;
    }

    private static EnumValueDescriptor named(String name, FieldDescriptor field) {
        return field.getEnumType().findValueByName(name);
    }

    private static EnumValueDescriptor numbered(String text, FieldDescriptor field)
            throws JsonException {
        int number = number(text, false, 32, true, field).intValue();
        return field.getEnumType().findValueByNumberCreatingIfUnknown(number);
    }

    /** Decodes both alphabets; padding is complete or absent; line breaks are ignored. */
    private static ByteString bytes(String text, FieldDescriptor field) throws JsonException {
        boolean padded = text.length() % 4 == 0;
        String digits = text;
        if (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0) {
            digits = text.replace("\n", "").replace("\r", "");
        }
        boolean whole = padded ? digits.length() % 4 == 0 : digits.indexOf('=') < 0;
        if (!whole) {
            throw invalid(field);
        }
        boolean url = text.indexOf('-') >= 0 || text.indexOf('_') >= 0;
        try {
            byte[] ascii = digits.getBytes(StandardCharsets.UTF_8);
            Base64.Decoder decoder = url ? Base64.getUrlDecoder() : Base64.getDecoder();
            return ByteString.copyFrom(decoder.decode(ascii));
        } catch (IllegalArgumentException malformed) {
            throw invalid(field);
        }
    }

    /** Refuses halves of surrogate pairs, which are no text. */
    private static String checked(String text) throws JsonException {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isSurrogatePair(
                        text.charAt(i), i + 1 < text.length() ? text.charAt(i + 1) : 0)) {
                    throw new JsonException("proto: syntax error: invalid escape code in string");
                }
                i++;
            }
        }
        return text;
    }
}
