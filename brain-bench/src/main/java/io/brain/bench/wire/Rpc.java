package io.brain.bench.wire;

/** RPCs that the client calls. */
public enum Rpc {
    RANGE("etcdserverpb.KV", "Range"),
    PUT("etcdserverpb.KV", "Put"),
    TXN("etcdserverpb.KV", "Txn"),
    COMPACT("etcdserverpb.KV", "Compact"),
    LEASE_GRANT("etcdserverpb.Lease", "LeaseGrant"),
    LEASE_REVOKE("etcdserverpb.Lease", "LeaseRevoke"),
    /** A stream with one request and one answer. */
    LEASE_KEEP_ALIVE("etcdserverpb.Lease", "LeaseKeepAlive"),
    /** A stream that stays open. */
    WATCH("etcdserverpb.Watch", "Watch");

    private final String fullName;

    Rpc(String service, String method) {
        this.fullName = service + '/' + method;
    }

    /** Full method name, such as {@code etcdserverpb.KV/Range}. */
    public String fullName() {
        return fullName;
    }

    /** True if it is a bidirectional stream. */
    boolean isStream() {
        return this == LEASE_KEEP_ALIVE || this == WATCH;
    }
}
