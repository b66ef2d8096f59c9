package io.brain.conformance.cluster;

import com.google.protobuf.ByteString;

/** etcd's ways to name a range of keys. */
public final class Keys {

    /** As a range's end: every key from its start on. As its start, too: every key. */
    public static final ByteString FROM_KEY = ByteString.copyFrom(new byte[] {0});

    private Keys() {}

    public static ByteString of(String text) {
        return ByteString.copyFromUtf8(text);
    }

    /** The end of the range of all keys that begin with the prefix; its last byte is not 0xff. */
    public static ByteString prefixEnd(ByteString prefix) {
        byte[] end = prefix.toByteArray();
        end[end.length - 1]++;
        return ByteString.copyFrom(end);
    }
}
