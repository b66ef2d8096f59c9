package io.brain.transfer.etcd;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.Member;
import io.brain.backend.store.AlarmRecord;
import io.brain.backend.store.AuthRecord;
import io.brain.backend.store.ChangeSorter;
import io.brain.backend.store.HistoryScan;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaseRecord;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.LogScan;
import io.brain.backend.store.MemberRecord;
import io.brain.backend.wire.ByteWriter;
import io.brain.bbolt.BboltWriter;
import io.brain.proto.etcd.AlarmMember;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Writes the state of a store as a database of etcd 3.7: the one that an etcd has after the same
 * calls and compactions. Used by one thread.
 */
final class EtcdDatabaseWriter {
    private static final int LEASE_ID = 1 << 3;
    private static final int LEASE_TTL = 2 << 3;
    private static final int LEASE_REMAINING_TTL = 3 << 3;
    private static final int MILLIS_PER_SECOND = 1000;

    /** In a store that never had users. */
    private static final AuthRecord NO_AUTH = new AuthRecord(false, 1);

    private static final byte[] NO_VALUE = {};

    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final StoreHead head;
    private final ExportScope scope;
    private final String version;

    /**
     * A writer of one state.
     *
     * @param version the version of etcd's storage, such as 3.7.0
     */
    EtcdDatabaseWriter(
            Snapshot snapshot, KeyCoder coder, StoreHead head, ExportScope scope, String version) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.head = head;
        this.scope = scope;
        this.version = version;
    }

    /** Writes all buckets, in order of their names. */
    void write(BboltWriter out, ChangeSorter sorter, StepListener listener) throws IOException {
        Map<String, Member> members = members();
        out.bucket(EtcdSchema.ALARM);
        for (Bytes alarm : alarms()) {
            out.put(alarm.array(), NO_VALUE);
        }
        writeAuth(out);
        if (scope.isWhole()) {
            writeTimes(out, listener);
        }
        out.bucket(EtcdSchema.CLUSTER);
        out.put(EtcdSchema.CLUSTER_VERSION, utf8(version));
        writeChanges(out, sorter, listener);
        writeLeases(out);
        out.bucket(EtcdSchema.MEMBERS);
        for (Map.Entry<String, Member> member : members.entrySet()) {
            out.put(utf8(member.getKey()), utf8(json(member.getValue()).toString()));
        }
        out.bucket(EtcdSchema.MEMBERS_REMOVED);
        writeMeta(out, members.values());
    }

    private SortedSet<Bytes> alarms() {
        SortedSet<Bytes> alarms = new TreeSet<>();
        for (Alarm alarm : AlarmRecord.decode(snapshot.get(coder.alarmKey())).raised()) {
            AlarmMember.Builder member = AlarmMember.newBuilder().setMemberID(alarm.memberId());
            alarms.add(Bytes.wrap(member.setAlarmValue(alarm.kind()).build().toByteArray()));
        }
        return alarms;
    }

    private void writeAuth(BboltWriter out) throws IOException {
        Bytes stored = snapshot.get(coder.authKey());
        AuthRecord auth = stored == null ? NO_AUTH : AuthRecord.decode(stored);
        out.bucket(EtcdSchema.AUTH);
        if (stored != null) {
            out.put(EtcdSchema.AUTH_ENABLED, new byte[] {(byte) (auth.enabled() ? 1 : 0)});
        }
        out.put(EtcdSchema.AUTH_REVISION, number(auth.revision()));
        out.bucket(EtcdSchema.AUTH_ROLES);
        writeNamed(out, coder.roles());
        out.bucket(EtcdSchema.AUTH_USERS);
        writeNamed(out, coder.users());
    }

    /** Users or roles, which are stored as in etcd. */
    private void writeNamed(BboltWriter out, KeyRange range) throws IOException {
        try (Cursor cursor = snapshot.cursor(range, Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                byte[] key = cursor.key().array();
                byte[] name = Arrays.copyOfRange(key, range.start().length(), key.length);
                out.put(name, cursor.value().array());
            }
        }
    }

    /**
     * For each second with a commit, the last revision; times never decrease. Begins with the
     * revision before the first change, if the log has it. A log can be long: the listener may
     * pause or stop the work at each event.
     */
    private void writeTimes(BboltWriter out, StepListener listener) throws IOException {
        long last = scope.lastOf(head.fence().revision());
        long oldest = Math.max(scope.after(), head.compactRevision());
        long from = LogScan.firstFrom(Math.max(oldest, LogScan.REVISION_MIN), snapshot, coder);
        long second = 0;
        long revision = 0;
        try (LogScan log = new LogScan(snapshot, coder, from)) {
            LogEvent event = log.next();
            for (; event != null && event.revision() <= last; event = log.next()) {
                listener.progress("read", 0, head.fence().bytes());
                long committed = log.unixMillis() / MILLIS_PER_SECOND;
                if (committed > second) {
                    if (second == 0) {
                        out.bucket(EtcdSchema.BRAIN_TIMES);
                    } else {
                        out.put(number(second), number(revision));
                    }
                    second = committed;
                }
                revision = event.revision();
            }
        }
        if (second > 0) {
            out.put(number(second), number(revision));
        }
    }

    private void writeChanges(BboltWriter out, ChangeSorter sorter, StepListener listener)
            throws IOException {
        StoreChanges changes =
                new StoreChanges(sorter, new KeyBucketWriter(out, scope), head.compactRevision());
        Runnable read = () -> listener.progress("read", changes.bytesRead(), head.fence().bytes());
        if (scope.after() > 0) {
            changes.readAfter(scope.after(), head.fence().revision(), snapshot, coder, read);
        } else {
            long last = scope.lastOf(head.fence().revision());
            changes.read(new HistoryScan(snapshot, coder, head.compactRevision(), last, read));
        }
        changes.write(listener);
    }

    private void writeLeases(BboltWriter out) throws IOException {
        out.bucket(EtcdSchema.LEASE);
        try (Cursor cursor = snapshot.cursor(coder.leases(), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                long id = coder.leaseId(cursor.key());
                LeaseRecord lease = LeaseRecord.decode(cursor.value());
                ByteWriter message = new ByteWriter(3 * (1 + Long.BYTES));
                field(message, LEASE_ID, id);
                field(message, LEASE_TTL, lease.ttl());
                field(message, LEASE_REMAINING_TTL, lease.remaining());
                out.put(number(id), message.finish().array());
            }
        }
    }

    private void writeMeta(BboltWriter out, Iterable<Member> members) throws IOException {
        TreeMap<Bytes, byte[]> records = new TreeMap<>();
        JsonArray voters = new JsonArray();
        members.forEach(member -> voters.add(unsigned(member.id())));
        JsonObject confState = new JsonObject();
        confState.add("voters", voters);
        confState.addProperty("auto_leave", false);
        put(records, EtcdSchema.CONF_STATE, utf8(confState.toString()));
        // Batches count from 0, raft entries from 1.
        put(records, EtcdSchema.CONSISTENT_INDEX, number(head.fence().batch() + 1));
        put(records, EtcdSchema.TERM, number(head.fence().epoch()));
        put(records, EtcdSchema.STORAGE_VERSION, utf8(version));
        if (scope.after() > 0) {
            put(records, EtcdSchema.BRAIN_AFTER, number(scope.after()));
        }
        long oldest = scope.after() > 0 ? scope.after() : head.compactRevision();
        if (oldest >= 0) {
            byte[] compacted = EtcdSchema.revisionKey(oldest, 0);
            put(records, EtcdSchema.SCHEDULED_COMPACTION, compacted);
            put(records, EtcdSchema.FINISHED_COMPACTION, compacted);
        }
        out.bucket(EtcdSchema.META);
        for (Map.Entry<Bytes, byte[]> record : records.entrySet()) {
            out.put(record.getKey().array(), record.getValue());
        }
    }

    /** The members by id in hexadecimal. */
    private Map<String, Member> members() {
        Map<String, Member> members = new TreeMap<>();
        try (Cursor cursor = snapshot.cursor(coder.members(), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                long id = coder.memberId(cursor.key());
                MemberRecord record = MemberRecord.decode(id, cursor.value());
                members.put(Long.toHexString(id), record.member());
            }
        }
        return members;
    }

    private static JsonObject json(Member member) {
        JsonObject json = new JsonObject();
        json.addProperty("id", unsigned(member.id()));
        json.add("peerURLs", texts(member.peerUrls()));
        if (member.isStarted()) {
            json.addProperty("name", member.name());
            json.add("clientURLs", texts(member.clientUrls()));
        }
        return json;
    }

    private static JsonArray texts(List<String> texts) {
        JsonArray json = new JsonArray();
        texts.forEach(json::add);
        return json;
    }

    private static BigInteger unsigned(long id) {
        return new BigInteger(Long.toUnsignedString(id));
    }

    private static void put(Map<Bytes, byte[]> records, byte[] key, byte[] value) {
        records.put(Bytes.wrap(key), value);
    }

    private static void field(ByteWriter message, int tag, long value) {
        if (value != 0) {
            message.putByte(tag).putVarint(value);
        }
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
