package io.brain.admin.check;

import io.brain.backend.store.AlarmRecord;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Checks the single records: fence, compaction, identity, leader and alarms. */
final class MetaCheck {
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Findings findings;

    MetaCheck(Snapshot snapshot, KeyCoder coder, Findings findings) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.findings = findings;
    }

    /** Reads the records; returns what the other checks need of them. */
    CheckedStore run() {
        Fence fence = read("fence", coder.fenceKey(), false, Fence::decode, Fence::encode);
        CompactRecord compact = compact(fence);
        checkIdentity(fence != null);
        checkLeader(fence);
        checkAlarms();
        checkUnknown();
        long revision = fence == null ? CheckedStore.REVISION_MAX : fence.revision();
        RevisionCounts counts = new RevisionCounts(loggedFrom(), revision);
        return new CheckedStore(
                snapshot, coder, fence, compact, counts, new CheckedStore.Totals(), findings);
    }

    private CompactRecord compact(Fence fence) {
        CompactRecord read =
                read(
                        "compaction record",
                        coder.compactKey(),
                        false,
                        CompactRecord::decode,
                        CompactRecord::encode);
        CompactRecord compact = read == null ? CompactRecord.NONE : read;
        if (compact.finished() > compact.floor()
                || (fence != null && compact.floor() > fence.revision())) {
            findings.store("the compaction record is invalid: " + compact);
        }
        return compact;
    }

    private void checkIdentity(boolean required) {
        IdentityRecord identity =
                read(
                        "identity record",
                        coder.identityKey(),
                        required,
                        IdentityRecord::decode,
                        IdentityRecord::encode);
        if (identity != null && (identity.clusterId() == 0 || identity.memberId() == 0)) {
            findings.store("the identity record contains an ID of 0");
        }
    }

    private void checkLeader(Fence fence) {
        LeaderRecord leader =
                read(
                        "leader record",
                        coder.leaderKey(),
                        fence != null,
                        LeaderRecord::decode,
                        LeaderRecord::encode);
        if (leader != null && fence != null && leader.epoch() > fence.epoch()) {
            findings.store("the leader record has a later epoch than the fence");
        }
    }

    private void checkAlarms() {
        AlarmRecord alarms =
                read(
                        "alarm record",
                        coder.alarmKey(),
                        false,
                        AlarmRecord::decode,
                        AlarmRecord::encode);
        if (alarms != null && alarms.raised().stream().anyMatch(alarm -> alarm.kind() == 0)) {
            findings.store("the alarm record contains an alarm without a kind");
        }
    }

    /** Reads a record; null if it is missing or damaged, which is reported. */
    private <T> T read(
            String name,
            Bytes key,
            boolean required,
            Function<Bytes, T> decode,
            Function<T, Bytes> encode) {
        Bytes stored;
        try {
            stored = snapshot.get(key);
        } catch (StorageException unreadable) {
            findings.unreadable(null, 0, unreadable);
            return null;
        }
        if (stored == null) {
            if (required) {
                findings.store("the " + name + " is missing");
            }
            return null;
        }
        try {
            T record = decode.apply(stored);
            if (encode.apply(record).equals(stored)) {
                return record;
            }
            findings.store("the " + name + " is damaged: " + stored);
        } catch (StorageException undecodable) {
            if (undecodable.kind() == StorageException.Kind.REFUSED) {
                throw undecodable; // a store of another format
            }
            findings.store("the " + name + " cannot be decoded: " + undecodable.getMessage());
        }
        return null;
    }

    /** Reports records of an unknown kind. */
    private void checkUnknown() {
        List<KeyRange> ranges =
                List.of(
                        coder.log(),
                        coder.leases(),
                        coder.attachments().range(),
                        coder.expiries().range(),
                        coder.members(),
                        coder.users(),
                        coder.roles());
        Set<Bytes> records =
                Set.of(
                        coder.fenceKey(),
                        coder.compactKey(),
                        coder.alarmKey(),
                        coder.authKey(),
                        coder.leaderKey(),
                        coder.identityKey());
        try (Cursor cursor = snapshot.cursor(coder.metaRange(), Cursor.Direction.FORWARD)) {
            boolean found = cursor.next();
            while (found) {
                Bytes at = cursor.key();
                Optional<KeyRange> range =
                        ranges.stream().filter(known -> known.contains(at)).findFirst();
                if (range.isPresent()) {
                    found = cursor.seek(range.get().end());
                    continue;
                }
                if (!records.contains(at)) {
                    findings.store("unknown record: " + at);
                }
                found = cursor.next();
            }
        } catch (StorageException unreadable) {
            findings.unreadable(null, 0, unreadable);
        }
    }

    /** The first revision in the commit log; the maximum if there is none. */
    private long loggedFrom() {
        try (Cursor cursor = snapshot.cursor(coder.log(), Cursor.Direction.FORWARD)) {
            boolean found = cursor.next() && coder.isLogKey(cursor.key());
            return found ? coder.logRevision(cursor.key()) : Long.MAX_VALUE;
        } catch (StorageException unreadable) {
            findings.unreadable(null, 0, unreadable);
            return Long.MAX_VALUE;
        }
    }
}
