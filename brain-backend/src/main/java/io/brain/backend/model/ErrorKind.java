package io.brain.backend.model;

/** Kinds of failures, in etcd's terms. The server maps them to gRPC codes and etcd's texts. */
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
    /** Unknown outcome: another leader was elected meanwhile. */
    LEADER_FAILED,
    /** Unknown outcome: the connection to the leader was lost. */
    CONNECTION_LOST,
    NOT_LEADER,
    TRANSFER_TIMEOUT,
    TIMEOUT,
    DEADLINE_EXCEEDED,
    STOPPED,
    WATCH_INTERRUPTED,
    INTERNAL
}
