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
    /** The store follows another cluster: clients cannot change it. */
    STANDBY,
    WATCH_INTERRUPTED,
    ROOT_USER_MISSING,
    ROOT_ROLE_MISSING,
    USER_EXISTS,
    USER_EMPTY,
    USER_NOT_FOUND,
    ROLE_EXISTS,
    ROLE_NOT_FOUND,
    ROLE_EMPTY,
    /** A wrong password, or one for an unknown user. */
    AUTH_FAILED,
    /** A password for a user that has none. */
    NO_PASSWORD_USER,
    PERMISSION_NOT_GIVEN,
    PERMISSION_DENIED,
    ROLE_NOT_GRANTED,
    PERMISSION_NOT_GRANTED,
    AUTH_NOT_ENABLED,
    INVALID_AUTH_TOKEN,
    INVALID_AUTH_MANAGEMENT,
    AUTH_OLD_REVISION,
    INTERNAL
}
