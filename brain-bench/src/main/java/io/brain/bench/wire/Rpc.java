package io.brain.bench.wire;

/** The calls that are made. */
public enum Rpc {
    RANGE("etcdserverpb.KV", "Range"),
    PUT("etcdserverpb.KV", "Put"),
    TXN("etcdserverpb.KV", "Txn"),
    COMPACT("etcdserverpb.KV", "Compact"),
    LEASE_GRANT("etcdserverpb.Lease", "LeaseGrant"),
    LEASE_REVOKE("etcdserverpb.Lease", "LeaseRevoke"),
    /** A stream of which one request and one answer are used. */
    LEASE_KEEP_ALIVE("etcdserverpb.Lease", "LeaseKeepAlive"),
    /** A stream that stays open. */
    WATCH("etcdserverpb.Watch", "Watch");

    private final String fullName;

    Rpc(String service, String method) {
        this.fullName = service + '/' + method;
    }

    /** Such as {@code etcdserverpb.KV/Range}. */
    public String fullName() {
        return fullName;
    }

    /** True if both sides of it are streams. */
    boolean isStream() {
        return this == LEASE_KEEP_ALIVE || this == WATCH;
    }
}
