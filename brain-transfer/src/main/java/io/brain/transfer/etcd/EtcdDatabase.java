package io.brain.transfer.etcd;

import com.google.protobuf.InvalidProtocolBufferException;
import io.brain.backend.model.Alarm;
import io.brain.backend.store.AuthRecord;
import io.brain.bbolt.BboltReader;
import io.brain.bbolt.BucketCursor;
import io.brain.proto.auth.Role;
import io.brain.proto.auth.User;
import io.brain.proto.etcd.AlarmMember;
import io.brain.proto.etcd.AlarmType;
import io.brain.storage.Bytes;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A database of etcd 3.4 to 3.7: a snapshot, or the file of a member that does not run. Not
 * thread-safe. Methods throw an {@link IOException} whose message is one line: an {@link
 * EtcdException} or {@link io.brain.bbolt.BboltException} if the file is not intact.
 */
public final class EtcdDatabase implements ChangeSource, Closeable {
    private static final int MAJOR = 3;
    private static final int MINOR_MAX = 7;
    private static final long NOT_COMPACTED = -1;

    private final EtcdFile file;
    private final BboltReader reader;
    private final long compacted;
    private final long newest;

    private EtcdDatabase(EtcdFile file, BboltReader reader) throws IOException {
        this.file = file;
        this.reader = reader;
        var unused = reader.check();
        checkVersion();
        if (reader.bucket(EtcdSchema.KEY).isEmpty()) {
            throw new EtcdException("no bucket named key: not a database of etcd 3");
        }
        compacted =
                Math.max(
                        revision(EtcdSchema.FINISHED_COMPACTION),
                        revision(EtcdSchema.SCHEDULED_COMPACTION));
        newest = Math.max(Math.max(1, compacted), lastRevision());
    }

    /**
     * Opens a file and checks its hash and its structure, but not its changes.
     *
     * @param skipHashCheck accepts a file whose hash is missing or wrong
     * @param listener receives the progress
     */
    public static EtcdDatabase open(Path path, boolean skipHashCheck, StepListener listener)
            throws IOException {
        EtcdFile file = EtcdFile.read(path, skipHashCheck, listener);
        BboltReader reader = BboltReader.open(path);
        try {
            return new EtcdDatabase(file, reader);
        } catch (IOException | RuntimeException failure) {
            reader.close();
            throw failure;
        }
    }

    @Override
    public long length() {
        return file.length();
    }

    @Override
    public Bytes sha256() {
        return file.sha256();
    }

    @Override
    public long newestRevision() {
        return newest;
    }

    /**
     * The oldest readable revision; -1 if nothing was compacted. A compaction that was requested
     * but not finished counts, as it does for etcd: which changes it removed so far is unknown.
     */
    @Override
    public long compactedRevision() {
        return compacted;
    }

    @Override
    public EtcdChanges changes(long revision, int sub) throws IOException {
        return new EtcdChanges(cursor(EtcdSchema.KEY).orElseThrow(), compacted, revision, sub);
    }

    @Override
    public void leases(Visitor<EtcdLease> leases) throws IOException {
        forEach(EtcdSchema.LEASE, (key, value) -> leases.visit(EtcdLease.decode(key, value)));
    }

    @Override
    public SortedSet<Alarm> alarms() throws IOException {
        SortedSet<Alarm> alarms = new TreeSet<>();
        forEach(
                EtcdSchema.ALARM,
                (key, value) -> {
                    try {
                        AlarmMember alarm = AlarmMember.parseFrom(key);
                        if (alarm.getAlarmValue() == AlarmType.NONE_VALUE) {
                            throw new EtcdException("alarm without a kind");
                        }
                        alarms.add(new Alarm(alarm.getMemberID(), alarm.getAlarmValue()));
                    } catch (InvalidProtocolBufferException malformed) {
                        throw new EtcdException("malformed alarm");
                    }
                });
        return alarms;
    }

    @Override
    public AuthRecord auth() throws IOException {
        byte[] enabled = value(EtcdSchema.AUTH, EtcdSchema.AUTH_ENABLED);
        byte[] revision = value(EtcdSchema.AUTH, EtcdSchema.AUTH_REVISION);
        if (revision != null && revision.length != Long.BYTES) {
            throw new EtcdException("malformed revision of users and roles");
        }
        return new AuthRecord(
                Arrays.equals(enabled, new byte[] {1}),
                revision == null ? 0 : ByteBuffer.wrap(revision).getLong());
    }

    @Override
    public void users(Visitor<Named> users) throws IOException {
        named(
                EtcdSchema.AUTH_USERS,
                stored -> User.parseFrom(stored).getName().toByteArray(),
                users);
    }

    @Override
    public void roles(Visitor<Named> roles) throws IOException {
        named(
                EtcdSchema.AUTH_ROLES,
                stored -> Role.parseFrom(stored).getName().toByteArray(),
                roles);
    }

    /** The revision after which an increment begins; 0: not an increment. */
    public long after() throws IOException {
        return number(value(EtcdSchema.META, EtcdSchema.BRAIN_AFTER), EtcdSchema.BRAIN_AFTER);
    }

    /**
     * Refuses an increment, which is no database without those that it continues.
     *
     * @return this
     */
    public EtcdDatabase requireWhole() throws IOException {
        if (after() > 0) {
            throw new EtcdException(
                    "an increment of a backup, which begins after revision %d: use brain restore"
                            .formatted(after()));
        }
        return this;
    }

    /**
     * The last revision that was committed up to the end of a second; 0 if the database does not
     * say so, because etcd wrote it, or because its changes are later.
     */
    public long revisionAt(Instant second) throws IOException {
        long revision = 0;
        Optional<BucketCursor> times = cursor(EtcdSchema.BRAIN_TIMES);
        while (times.isPresent() && times.get().next()) {
            if (number(times.get().key(), EtcdSchema.BRAIN_TIMES) > second.getEpochSecond()) {
                break;
            }
            revision = number(times.get().value(), EtcdSchema.BRAIN_TIMES);
        }
        return revision;
    }

    /** The second of the last commit, since 1970; 0 if the database does not say so. */
    public long lastSecond() throws IOException {
        long second = 0;
        Optional<BucketCursor> times = cursor(EtcdSchema.BRAIN_TIMES);
        while (times.isPresent() && times.get().next()) {
            second = number(times.get().key(), EtcdSchema.BRAIN_TIMES);
        }
        return second;
    }

    private static long number(byte[] stored, byte[] name) throws EtcdException {
        if (stored == null) {
            return 0;
        }
        long number = stored.length == Long.BYTES ? ByteBuffer.wrap(stored).getLong() : -1;
        if (number < 0 || number > EtcdSchema.REVISION_MAX) {
            throw new EtcdException("malformed " + new String(name, StandardCharsets.US_ASCII));
        }
        return number;
    }

    /** Frees the memory and closes the file, until something is read again. */
    public void release() throws IOException {
        reader.release();
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }

    /** Refuses files of later versions; the version is stored since etcd 3.6. */
    private void checkVersion() throws IOException {
        byte[] stored = value(EtcdSchema.META, EtcdSchema.STORAGE_VERSION);
        if (stored == null) {
            return;
        }
        String version = new String(stored, StandardCharsets.UTF_8);
        if (!version.matches("3\\.[0-9]{1,3}\\.[0-9]{1,9}")
                || Integer.parseInt(version.split("\\.", -1)[1]) > MINOR_MAX) {
            throw new EtcdException(
                    "storage version %s is not one up to %d.%d"
                            .formatted(Bytes.wrap(stored), MAJOR, MINOR_MAX));
        }
    }

    /** A revision of the meta bucket; -1 if there is none. */
    private long revision(byte[] name) throws IOException {
        byte[] stored = value(EtcdSchema.META, name);
        if (stored == null) {
            return NOT_COMPACTED;
        }
        long revision = EtcdSchema.isRevision(stored) ? EtcdSchema.revision(stored) : -1;
        if (revision < 0 || revision > EtcdSchema.REVISION_MAX) {
            throw new EtcdException(
                    "malformed %s".formatted(new String(name, StandardCharsets.US_ASCII)));
        }
        return revision;
    }

    /** The revision of the last change; 0 if there is none. Found by bisection. */
    private long lastRevision() throws IOException {
        BucketCursor cursor = cursor(EtcdSchema.KEY).orElseThrow();
        long last = 0;
        for (long bit = Long.highestOneBit(EtcdSchema.REVISION_MAX); bit > 0; bit >>= 1) {
            if (cursor.seek(EtcdSchema.revisionKey(last | bit, 0))) {
                last |= bit;
            }
        }
        return last;
    }

    private interface NameOf {
        byte[] read(byte[] stored) throws InvalidProtocolBufferException;
    }

    private void named(byte[] bucket, NameOf nameOf, Visitor<Named> visitor) throws IOException {
        forEach(
                bucket,
                (key, value) -> {
                    try {
                        if (value.length > 0 && Arrays.equals(key, nameOf.read(value))) {
                            visitor.visit(new Named(Bytes.wrap(key), Bytes.wrap(value)));
                            return;
                        }
                    } catch (InvalidProtocolBufferException malformed) {
                        // The same message.
                    }
                    throw new EtcdException(
                            "malformed entry \"%s\" of %s"
                                    .formatted(
                                            Bytes.wrap(key),
                                            new String(bucket, StandardCharsets.US_ASCII)));
                });
    }

    private interface Pairs {
        void visit(byte[] key, byte[] value) throws IOException;
    }

    private void forEach(byte[] bucket, Pairs pairs) throws IOException {
        Optional<BucketCursor> cursor = cursor(bucket);
        while (cursor.isPresent() && cursor.get().next()) {
            pairs.visit(cursor.get().key(), cursor.get().value());
        }
    }

    /** Null if it is absent. */
    private byte[] value(byte[] bucket, byte[] key) throws IOException {
        Optional<BucketCursor> cursor = cursor(bucket);
        return cursor.isPresent() && cursor.get().find(key) ? cursor.get().value() : null;
    }

    private Optional<BucketCursor> cursor(byte[] bucket) throws IOException {
        return reader.bucket(bucket);
    }
}
