package io.brain.conformance.cluster.durability;

import java.util.List;

/**
 * One write as a client asks for it. Every value is a token that no other write uses, so that an
 * event tells which write it comes from.
 */
sealed interface Write {

    /** A plain put, with a lease when that is not 0. */
    record Put(String key, String token, long lease) implements Write {}

    /** One transaction that puts the same token to every key: all of them, or none. */
    record PutAll(List<String> keys, String token) implements Write {}

    /** One transaction that puts the token to some keys and deletes others. */
    record Move(List<String> puts, List<String> deletes, String token) implements Write {}

    /** Puts the token if the key's newest modification is the expected one. */
    record Swap(String key, long expectedModRevision, String token) implements Write {}

    /** Deletes [key, end). */
    record Delete(String key, String end) implements Write {}

    /** Revokes a lease, which deletes the keys attached to it. */
    record Revoke(long lease) implements Write {}

    /** What a lease does by itself at the end of its time: as a revoke. */
    record Expire(long lease) implements Write {}
}
