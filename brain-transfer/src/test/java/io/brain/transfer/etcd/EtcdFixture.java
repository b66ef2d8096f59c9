package io.brain.transfer.etcd;

import com.google.protobuf.MessageLite;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.bbolt.BboltWriter;
import io.brain.proto.auth.Role;
import io.brain.proto.auth.User;
import io.brain.storage.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Makes database files as etcd does: a history, what a compaction leaves of it, and a snapshot. */
public final class EtcdFixture {
    private record Live(long create, long version) {}

    private final Map<String, Map<Bytes, byte[]>> buckets = new TreeMap<>();
    private final Map<Bytes, Live> live = new TreeMap<>();
    private long revision = 1;
    private int sub;

    /** An empty database. */
    public EtcdFixture() {
        bucket(EtcdSchema.KEY);
        bucket(EtcdSchema.META);
    }

    /** Begins the next revision. */
    public EtcdFixture next() {
        revision++;
        sub = 0;
        return this;
    }

    public long revision() {
        return revision;
    }

    public boolean exists(Bytes key) {
        return live.containsKey(key);
    }

    /** Adds a put to the current revision. */
    public EtcdFixture put(Bytes key, Bytes value, long lease) {
        Live before = live.getOrDefault(key, new Live(revision, 0));
        Live now = new Live(before.create(), before.version() + 1);
        live.put(key, now);
        Bytes kv = KeyValueCodec.encode(key, now.create(), revision, now.version(), value, lease);
        return change(revision, sub++, false, kv.array());
    }

    /** Adds a put with a short value, in a revision of its own. */
    public EtcdFixture put(String key) {
        return next().put(Bytes.utf8(key), Bytes.utf8("v"), 0);
    }

    /** Adds a delete to the current revision. */
    public EtcdFixture delete(Bytes key) {
        live.remove(key);
        return change(revision, sub++, true, KeyValueCodec.encodeTombstone(key).array());
    }

    /** Stores any change. */
    public EtcdFixture change(long main, long index, boolean tombstone, byte[] stored) {
        return record(EtcdSchema.KEY, EtcdSchema.changeKey(main, index, tombstone), stored);
    }

    /** Removes a stored change. */
    public EtcdFixture remove(long main, long index, boolean tombstone) {
        byte[] key = EtcdSchema.changeKey(main, index, tombstone);
        bucket(EtcdSchema.KEY).remove(Bytes.wrap(key));
        return this;
    }

    /** Requests a compaction, which etcd may have to finish; it removes nothing here. */
    public EtcdFixture compact(long at) {
        return record(
                EtcdSchema.META, EtcdSchema.SCHEDULED_COMPACTION, EtcdSchema.revisionKey(at, 0));
    }

    /** A lease; the remaining seconds are 0 without a checkpoint. */
    public EtcdFixture lease(long id, long ttl, long remaining) {
        byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(id).array();
        ByteBuffer stored = ByteBuffer.allocate(40);
        long[] fields = {id, ttl, remaining};
        for (int i = 0; i < fields.length; i++) {
            if (fields[i] != 0) {
                stored.put((byte) ((i + 1) << 3));
                long rest = fields[i];
                for (; (rest & ~0x7fL) != 0; rest >>>= 7) {
                    stored.put((byte) (rest | 0x80));
                }
                stored.put((byte) rest);
            }
        }
        return record(EtcdSchema.LEASE, key, Arrays.copyOf(stored.array(), stored.position()));
    }

    public EtcdFixture alarm(MessageLite alarm) {
        return record(EtcdSchema.ALARM, alarm.toByteArray(), new byte[0]);
    }

    /** Enables authentication, with a user and a role of that name. */
    public EtcdFixture auth(String name, long authRevision) {
        byte[] key = name.getBytes(StandardCharsets.UTF_8);
        User user = User.newBuilder().setName(com.google.protobuf.ByteString.copyFrom(key)).build();
        Role role = Role.newBuilder().setName(com.google.protobuf.ByteString.copyFrom(key)).build();
        byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(authRevision).array();
        return record(EtcdSchema.AUTH, EtcdSchema.AUTH_ENABLED, new byte[] {1})
                .record(EtcdSchema.AUTH, EtcdSchema.AUTH_REVISION, number)
                .record(EtcdSchema.AUTH_USERS, key, user.toByteArray())
                .record(EtcdSchema.AUTH_ROLES, key, role.toByteArray());
    }

    public EtcdFixture storageVersion(String version) {
        byte[] text = version.getBytes(StandardCharsets.UTF_8);
        return record(EtcdSchema.META, EtcdSchema.STORAGE_VERSION, text);
    }

    /** Removes a bucket. */
    public EtcdFixture without(String bucket) {
        buckets.remove(bucket);
        return this;
    }

    private EtcdFixture record(byte[] bucket, byte[] key, byte[] value) {
        bucket(bucket).put(Bytes.wrap(key), value);
        return this;
    }

    private Map<Bytes, byte[]> bucket(byte[] name) {
        return buckets.computeIfAbsent(
                new String(name, StandardCharsets.US_ASCII), made -> new TreeMap<>());
    }

    /** Writes a member's file. */
    public Path write(Path file) throws IOException {
        Files.deleteIfExists(file);
        try (BboltWriter out = BboltWriter.create(file)) {
            for (Map.Entry<String, Map<Bytes, byte[]>> bucket : buckets.entrySet()) {
                out.bucket(bucket.getKey().getBytes(StandardCharsets.US_ASCII));
                for (Map.Entry<Bytes, byte[]> record : bucket.getValue().entrySet()) {
                    out.put(record.getKey().array(), record.getValue());
                }
            }
            var unused = out.finish();
        }
        return file;
    }

    /** Writes a snapshot: a member's file, then its SHA-256. */
    public Path snapshot(Path file) throws Exception {
        byte[] content = Files.readAllBytes(write(file));
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
        return Files.write(file, hash, StandardOpenOption.APPEND);
    }
}
