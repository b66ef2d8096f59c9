package io.brain.conformance.gateway;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Requests to a gateway, generated from a seed; most are valid, many are malformed in some way. */
final class JsonRequests {
    private static final int MALFORMED_PERCENT = 35;

    /** Crashes etcd in some transactions. */
    private static final List<String> NOT_SENT = List.of("ignore_value", "ignore_lease");

    /** Always long: no lease ends meanwhile. */
    private static final String TTL = "TTL";

    private static final String[] OTHER_TYPES = {
        "true", "5", "-1", "\"x\"", "[]", "{}", "null", "1.5", "[null]", "\"\"", "1e400", "[{}]"
    };
    private static final String[] NUMBERS = {
        "1",
        "\"2\"",
        "3.0",
        "\"1e1\"",
        "0",
        "-0",
        "\"007\"",
        "1.50e1",
        "\" 1\"",
        "-1",
        "2.5",
        "9223372036854775807",
        "9223372036854775808",
        "\"-9223372036854775808\"",
        "1e30",
        "\"4 x\"",
        "18446744073709551615",
        "\"\"",
        "true",
        "4294967296",
        "-2147483649"
    };
    private static final String[] BASE64 = {
        "\"Zm9v\"",
        "\"Zm8\"",
        "\"Zg\"",
        "\"Zg==\"",
        "\"_-8\"",
        "\"+/8=\"",
        "\"Z\"",
        "\"Zg=\"",
        "\"Zm9v\\n\"",
        "\"Z*==\"",
        "\"+_==\"",
        "\"\\u005ag==\"",
        "5",
        "\"Zg==Zg==\"",
        "\"\""
    };
    private static final String[] SYNTAX = {
        "",
        "{",
        "}",
        "[",
        "]",
        "[]",
        "null",
        "nul",
        "true",
        "5",
        "\"x\"",
        "{}{}",
        "{}x",
        "{\"a\"}",
        "{\"key\":}",
        "{\"key\":\"Zg==\",}",
        "{'key':\"Zg==\"}",
        "{key:\"Zg==\"}",
        "{\"key\":01}",
        "{\"x\":+1}",
        "{\"x\":1.}",
        "{\"x\":.5}",
        "{\"x\":NaN}",
        "{\"x\":\"\\q\"}",
        "{\"x\":TRUE}",
        "{\"x\":\"\\ud800\"}",
        "{\"x\":\"\\u12\"}",
        "{\"x\":\"\t\"}",
        "{\"x\":[1,]}",
        " \n\t ",
        "{\"x\":{\"y\":[1,{\"z\":null}]}}",
        "//",
        "{/**/}",
        "{\"x\":1;}",
        "{\"x\" 1}",
        "{]",
        "\ufeff{}",
        "{\"key\":\"Zg==\",\"key\":\"Zg==\"}",
        "{\"key\":null,\"key\":null}",
        "{\"[x]\":1}",
        "#{}"
    };

    private final Random random;

    JsonRequests(long seed) {
        random = new Random(seed);
    }

    /**
     * A body for a path.
     *
     * @param type of the requests
     */
    byte[] body(Descriptor type, boolean wellFormed) {
        if (!wellFormed || random.nextInt(100) < 8) {
            return syntax(type);
        }
        boolean malformed = random.nextInt(100) < MALFORMED_PERCENT;
        return message(type, malformed, 3).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] syntax(Descriptor type) {
        int kind = random.nextInt(10);
        if (kind == 0) {
            return new byte[] {'{', '"', 'x', '"', ':', '"', (byte) 0xff, '"', '}'};
        }
        if (kind == 1) {
            int depth = 9_000 + random.nextInt(3_000);
            return ("{\"x\":" + "[".repeat(depth) + "]".repeat(depth) + "}")
                    .getBytes(StandardCharsets.UTF_8);
        }
        if (kind == 2) {
            String whole = message(type, false, 3);
            int end = Math.max(1, random.nextInt(whole.length()));
            return whole.substring(0, end).getBytes(StandardCharsets.UTF_8);
        }
        return pick(SYNTAX).getBytes(StandardCharsets.UTF_8);
    }

    private String message(Descriptor type, boolean malformed, int depth) {
        List<String> fields = new ArrayList<>();
        for (FieldDescriptor field : type.getFields()) {
            boolean key = field.getName().equals("key") && random.nextInt(20) > 0;
            boolean needed = key || field.getName().equals(TTL);
            if (NOT_SENT.contains(field.getName()) || (!needed && random.nextInt(100) < 55)) {
                continue;
            }
            if (field.getContainingOneof() != null && !fields.isEmpty() && !malformed) {
                continue;
            }
            String name = random.nextBoolean() ? field.getName() : field.getJsonName();
            fields.add('"' + name + "\":" + field(field, malformed, depth));
        }
        if (random.nextInt(10) == 0) {
            fields.add("\"unknown\":" + pick(OTHER_TYPES));
        }
        String space = random.nextInt(4) == 0 ? " \n" : "";
        return '{' + space + String.join("," + space, fields) + space + '}';
    }

    private String field(FieldDescriptor field, boolean malformed, int depth) {
        if (field.getName().equals(TTL)) {
            return number(field);
        }
        if (malformed && random.nextInt(4) == 0) {
            return pick(OTHER_TYPES);
        }
        if (!field.isRepeated()) {
            return value(field, malformed, depth);
        }
        List<String> items = new ArrayList<>();
        for (int i = depth > 0 ? random.nextInt(3) : 0; i > 0; i--) {
            items.add(value(field, malformed, depth));
        }
        return '[' + String.join(",", items) + ']';
    }

    private String value(FieldDescriptor field, boolean malformed, int depth) {
        return switch (field.getType()) {
            case MESSAGE ->
                    depth > 0 ? message(field.getMessageType(), malformed, depth - 1) : "{}";
            case BOOL -> random.nextBoolean() ? "true" : "false";
            case STRING -> pick("\"a\"", "\"\"", "\"b\\u00fc<&>\"", "\"3.6\"", "\"http://a:1\"");
            case BYTES -> malformed ? pick(BASE64) : bytes(field);
            case ENUM -> constant(field, malformed);
            default -> malformed ? pick(NUMBERS) : number(field);
        };
    }

    private String bytes(FieldDescriptor field) {
        boolean end = field.getName().equals("range_end");
        String text = end ? pick("d", "\0", "b", "") : pick("a", "b", "b\u00ff", "c/1", "c/2");
        return '"'
                + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.ISO_8859_1))
                + '"';
    }

    private String constant(FieldDescriptor field, boolean malformed) {
        List<EnumValueDescriptor> values = field.getEnumType().getValues();
        EnumValueDescriptor value = values.get(random.nextInt(values.size()));
        if (malformed) {
            return pick(
                    "\"NOPE\"",
                    "77",
                    "\"1\"",
                    "1.0",
                    "\"" + value.getName().toLowerCase(Locale.ROOT) + '"');
        }
        return random.nextBoolean() ? '"' + value.getName() + '"' : "" + value.getNumber();
    }

    private String number(FieldDescriptor field) {
        String name = field.getName().toLowerCase(Locale.ROOT);
        int number =
                switch (name) {
                    case "ttl" -> 1_000 + random.nextInt(1_000);
                    case "id", "lease", "watch_id" -> 1 + random.nextInt(6);
                    case "limit" -> random.nextInt(4);
                    default -> random.nextInt(30);
                };
        boolean none = name.equals("lease") && random.nextInt(3) > 0;
        String digits = none ? "0" : Integer.toString(number);
        return random.nextBoolean() ? digits : '"' + digits + '"';
    }

    String pick(String... all) {
        return all[random.nextInt(all.length)];
    }

    int number(int bound) {
        return random.nextInt(bound);
    }
}
