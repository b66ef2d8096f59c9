package io.brain.transfer.etcd;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Names of buckets and records in a database of etcd 3.4 to 3.7, and the key of a change. Numbers
 * in these records are big-endian.
 */
final class EtcdSchema {
    /** {@link #changeKey} to mvccpb.KeyValue; that of a delete has only the key. */
    static final byte[] KEY = ascii("key");

    /** Lease id (8 bytes) to leasepb.Lease. */
    static final byte[] LEASE = ascii("lease");

    /** etcdserverpb.AlarmMember to nothing. */
    static final byte[] ALARM = ascii("alarm");

    /** {@link #AUTH_ENABLED} and {@link #AUTH_REVISION}. */
    static final byte[] AUTH = ascii("auth");

    /** Name to authpb.User. */
    static final byte[] AUTH_USERS = ascii("authUsers");

    /** Name to authpb.Role. */
    static final byte[] AUTH_ROLES = ascii("authRoles");

    /** Member id in hexadecimal to JSON. */
    static final byte[] MEMBERS = ascii("members");

    static final byte[] MEMBERS_REMOVED = ascii("members_removed");

    /** {@link #CLUSTER_VERSION} and the state of a downgrade. */
    static final byte[] CLUSTER = ascii("cluster");

    /** Progress of raft and of compaction, and the version of the schema. */
    static final byte[] META = ascii("meta");

    /**
     * Only in databases of Brain: seconds since 1970 (8 bytes) to the last revision that was
     * committed in that second (8 bytes).
     */
    static final byte[] BRAIN_TIMES = ascii("brainTimes");

    /**
     * In {@link #META}, only in increments of Brain: the revision (8 bytes) after which the changes
     * begin.
     */
    static final byte[] BRAIN_AFTER = ascii("brainAfter");

    /** In {@link #AUTH}: one byte, 1 if authentication is enabled. */
    static final byte[] AUTH_ENABLED = ascii("authEnabled");

    /** In {@link #AUTH}: 8 bytes. */
    static final byte[] AUTH_REVISION = ascii("authRevision");

    /** In {@link #CLUSTER}: text. */
    static final byte[] CLUSTER_VERSION = ascii("clusterVersion");

    /** In {@link #META}: 8 bytes, the index of the last applied raft entry. */
    static final byte[] CONSISTENT_INDEX = ascii("consistent_index");

    /** In {@link #META}: 8 bytes, the term of that entry; since etcd 3.5. */
    static final byte[] TERM = ascii("term");

    /** In {@link #META}: JSON of raft's ConfState; since etcd 3.5. */
    static final byte[] CONF_STATE = ascii("confState");

    /** In {@link #META}: text such as 3.6.0; since etcd 3.6. */
    static final byte[] STORAGE_VERSION = ascii("storageVersion");

    /** In {@link #META}: a revision as {@link #revisionKey}, the requested compaction. */
    static final byte[] SCHEDULED_COMPACTION = ascii("scheduledCompactRev");

    /** In {@link #META}: a revision as {@link #revisionKey}, the completed compaction. */
    static final byte[] FINISHED_COMPACTION = ascii("finishedCompactRev");

    /** The revision of the first change. */
    static final long REVISION_MIN = 2;

    /** Larger revisions are taken for damage. */
    static final long REVISION_MAX = Long.MAX_VALUE >> 1;

    private static final int REVISION_BYTES = 2 * Long.BYTES + 1;
    private static final byte TOMBSTONE = 't';

    private EtcdSchema() {}

    /** 8 bytes revision, an underscore, 8 bytes sub-revision. */
    static byte[] revisionKey(long revision, long sub) {
        return ByteBuffer.allocate(REVISION_BYTES)
                .putLong(revision)
                .put((byte) '_')
                .putLong(sub)
                .array();
    }

    /** The key of a change: {@link #revisionKey}, then a {@code t} if it is a delete. */
    static byte[] changeKey(long revision, long sub, boolean tombstone) {
        byte[] key = revisionKey(revision, sub);
        return tombstone
                ? ByteBuffer.allocate(REVISION_BYTES + 1).put(key).put(TOMBSTONE).array()
                : key;
    }

    /** True if a key of {@link #KEY} is well-formed. */
    static boolean isChangeKey(byte[] key) {
        return key.length >= REVISION_BYTES
                && key[Long.BYTES] == '_'
                && (key.length == REVISION_BYTES || isTombstone(key));
    }

    /** True if the key of a change is that of a delete. */
    static boolean isTombstone(byte[] key) {
        return key.length == REVISION_BYTES + 1 && key[REVISION_BYTES] == TOMBSTONE;
    }

    /** True if a value is that of {@link #revisionKey}. */
    static boolean isRevision(byte[] value) {
        return value.length == REVISION_BYTES && value[Long.BYTES] == '_';
    }

    static long revision(byte[] changeKey) {
        return ByteBuffer.wrap(changeKey).getLong();
    }

    static long sub(byte[] changeKey) {
        return ByteBuffer.wrap(changeKey).getLong(Long.BYTES + 1);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
