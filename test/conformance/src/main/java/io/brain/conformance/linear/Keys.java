package io.brain.conformance.linear;

import com.google.protobuf.ByteString;
import java.util.NavigableMap;

/** etcd's ways to name a range of keys. */
public final class Keys {

    /** As a range's end: every key from its start on. As its start, too: every key. */
    public static final ByteString ZERO = ByteString.copyFrom(new byte[] {0});

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

    /** True if the key lies in the range. */
    static boolean within(ByteString key, ByteString start, ByteString end) {
        if (end.isEmpty()) {
            return key.equals(start);
        }
        var order = ByteString.unsignedLexicographicalComparator();
        return order.compare(key, start) >= 0 && (end.equals(ZERO) || order.compare(key, end) < 0);
    }

    /** The part of the map that lies in the range. A view. */
    static <V> NavigableMap<ByteString, V> range(
            NavigableMap<ByteString, V> map, ByteString start, ByteString end) {
        if (end.isEmpty()) {
            return map.subMap(start, true, start, true);
        }
        if (end.equals(ZERO)) {
            return map.tailMap(start, true);
        }
        return map.comparator().compare(start, end) < 0
                ? map.subMap(start, true, end, false)
                : map.subMap(start, true, start, false);
    }
}
