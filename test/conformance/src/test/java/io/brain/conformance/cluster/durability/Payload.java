package io.brain.conformance.cluster.durability;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A token grown to a value: most are small, some fill a few log blocks, so that a crash can cut one
 * in two. The token decides the size and every byte, so a damaged value shows.
 */
final class Payload {

    private static final byte END_OF_TOKEN = ':';

    private Payload() {}

    static ByteString of(String token) {
        byte[] head = token.getBytes(StandardCharsets.US_ASCII);
        byte[] value = Arrays.copyOf(head, head.length + 1 + padding(token));
        value[head.length] = END_OF_TOKEN;
        Arrays.fill(value, head.length + 1, value.length, head[head.length - 1]);
        return ByteString.copyFrom(value);
    }

    /** The token a value was grown from; a damaged value gives a text that is no token. */
    static String token(ByteString value) {
        String text = value.toString(StandardCharsets.US_ASCII);
        int end = text.indexOf(END_OF_TOKEN);
        String token = end < 0 ? text : text.substring(0, end);
        return end > 0 && of(token).equals(value)
                ? token
                : "damaged value of " + value.size() + " bytes: " + token;
    }

    private static int padding(String token) {
        int hash = Math.floorMod(token.hashCode() * 0x9E3779B9, 100);
        if (hash < 70) {
            return hash;
        }
        return hash < 97 ? hash * 10 : 50_000;
    }
}
