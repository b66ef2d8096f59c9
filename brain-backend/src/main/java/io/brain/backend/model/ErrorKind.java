package io.brain.backend.model;

/**
 * What went wrong, in etcd's terms. The server knows each kind's gRPC code and etcd's words for it.
 */
public enum ErrorKind {
    KEY_NOT_PROVIDED,
    KEY_NOT_FOUND,
    VALUE_PROVIDED,
    LEASE_PROVIDED,
    TOO_MANY_OPS,
    DUPLICATE_KEY,
    INVALID_SORT_OPTION,
    REQUEST_TOO_LARGE,
    ANSWER_TOO_LARGE,
    COMPACTED,
    FUTURE_REVISION,
    LEASE_NOT_FOUND,
    LEASE_EXISTS,
    LEASE_TTL_TOO_LARGE,
    NO_SPACE,
    CORRUPT,
    TOO_MANY_REQUESTS,
    NO_LEADER,
    LEADER_CHANGED,
    /** It may have happened or not: another leader was elected meanwhile. */
    LEADER_FAILED,
    /** It may have happened or not: the connection to the leader was lost. */
    CONNECTION_LOST,
    NOT_LEADER,
    TRANSFER_TIMEOUT,
    TIMEOUT,
    DEADLINE_EXCEEDED,
    STOPPED,
    WATCH_INTERRUPTED,
    INTERNAL
}
