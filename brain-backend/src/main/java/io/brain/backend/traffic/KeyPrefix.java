package io.brain.backend.traffic;

import io.brain.storage.Bytes;

/**
 * How keys are grouped for people who look on: by what stands up to the third slash, as {@code
 * /registry/pods/}; by what stands up to the last one if there are fewer; else by nothing. Cut at
 * {@link #BYTES_MAX}.
 */
public final class KeyPrefix {
    /** Most bytes of a prefix. */
    public static final int BYTES_MAX = 128;

    private static final int SLASHES = 3;

    private KeyPrefix() {}

    /** The prefix of {@code key}; may be empty. */
    public static Bytes of(Bytes key) {
        int length = Math.min(key.length(), BYTES_MAX);
        int slashes = 0;
        int end = 0;
        for (int i = 0; i < length && slashes < SLASHES; i++) {
            if (key.at(i) == '/') {
                slashes++;
                end = i + 1;
            }
        }
        boolean cut = slashes < SLASHES && key.length() > BYTES_MAX;
        return Bytes.copyOf(key.array(), 0, cut ? BYTES_MAX : end);
    }

    /** True if all keys that begin with {@code prefix} have it as their prefix. */
    public static boolean isWhole(Bytes prefix) {
        int slashes = 0;
        for (int i = 0; i < prefix.length(); i++) {
            slashes += prefix.at(i) == '/' ? 1 : 0;
        }
        return slashes == SLASHES || prefix.length() == BYTES_MAX;
    }
}
