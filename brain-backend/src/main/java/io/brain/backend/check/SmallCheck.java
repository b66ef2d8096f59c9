package io.brain.backend.check;

import io.brain.backend.store.AlarmRecord;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.LeaseRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.function.Function;

/** Checks what is neither a client's key nor the commit log: the small records, and leases. */
final class SmallCheck {
    private static final Bytes ATTACHED = Bytes.wrap(new byte[] {1});

    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Findings findings;
    private long leases;
    private long attachments;

    SmallCheck(Snapshot snapshot, KeyCoder coder, Findings findings) {
        this.snapshot = snapshot;
        this.coder = coder;
        this.findings = findings;
    }

    long leases() {
        return leases;
    }

    long attachments() {
        return attachments;
    }

    /** Reads the records that there is one of, and how far the store reaches by them. */
    Extent extent() {
        Fence fence = read(coder.fenceKey(), "the fence", false, Fence::decode, Fence::encode);
        CompactRecord compact =
                read(
                        coder.compactKey(),
                        "the compaction record",
                        false,
                        CompactRecord::decode,
                        CompactRecord::encode);
        IdentityRecord identity =
                read(
                        coder.identityKey(),
                        "the record of the cluster's ids",
                        fence != null,
                        IdentityRecord::decode,
                        IdentityRecord::encode);
        LeaderRecord leader =
                read(
                        coder.leaderKey(),
                        "the leader's record",
                        fence != null,
                        LeaderRecord::decode,
                        LeaderRecord::encode);
        AlarmRecord alarms =
                read(
                        coder.alarmKey(),
                        "the record of alarms",
                        false,
                        AlarmRecord::decode,
                        AlarmRecord::encode);
        if (identity != null && (identity.clusterId() == 0 || identity.memberId() == 0)) {
            findings.store("an id of the cluster or the member is 0");
        }
        if (leader != null && fence != null && leader.epoch() > fence.epoch()) {
            findings.store("the leader's record is of a later epoch than the fence");
        }
        if (alarms != null && alarms.raised().stream().anyMatch(a -> a.kind() == 0)) {
            findings.store("there is an alarm of no kind");
        }
        CompactRecord known = compact == null ? CompactRecord.NONE : compact;
        boolean inOrder = known.finished() <= known.floor();
        if (!inOrder || (fence != null && known.floor() > fence.revision())) {
            findings.store("the compaction record makes no sense: " + known);
        }
        return new Extent(fence, known);
    }

    private <T> T read(
            Bytes key,
            String name,
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
                findings.store(name + " is missing");
            }
            return null;
        }
        try {
            T record = decode.apply(stored);
            if (encode.apply(record).equals(stored)) {
                return record;
            }
            findings.store(name + " is damaged: " + stored);
        } catch (StorageException undecodable) {
            if (undecodable.kind() == StorageException.Kind.REFUSED) {
                throw undecodable; // by which nothing here is known
            }
            findings.store(name + " cannot be decoded: " + undecodable.getMessage());
        }
        return null;
    }

    /** Reads all leases and attachments, and what else there is that should not be. */
    void run() {
        new Walk(snapshot, coder.leases()).run(visitor(this::lease, "among the leases"));
        new Walk(snapshot, coder.attachments())
                .run(visitor(this::attachment, "among the keys of leases"));
        unknown();
    }

    private void lease(Bytes at, Bytes value) {
        leases++;
        if (!coder.isLeaseKey(at)) {
            findings.store("a lease has a key of no known form: " + at);
            return;
        }
        try {
            LeaseRecord lease = LeaseRecord.decode(value);
            boolean sound = lease.ttl() > 0 && lease.remaining() >= 0;
            if (!sound || !lease.encode().equals(value)) {
                findings.store("lease %x makes no sense: %s".formatted(coder.leaseId(at), lease));
            }
        } catch (StorageException undecodable) {
            findings.store("lease %x cannot be decoded".formatted(coder.leaseId(at)));
        }
    }

    private void attachment(Bytes at, Bytes value) {
        attachments++;
        if (!coder.isAttachmentKey(at) || !value.equals(ATTACHED)) {
            findings.store("a lease's hold on a key makes no sense: " + at);
            return;
        }
        long lease = coder.leaseId(at);
        Bytes key = coder.attachedKey(at);
        try {
            if (snapshot.get(coder.leaseKey(lease)) == null) {
                findings.key(
                        key, 0, "is attached to lease %x, which does not exist".formatted(lease));
            }
            if (!names(key, lease)) {
                findings.key(
                        key, 0, "is attached to lease %x, but does not name it".formatted(lease));
            }
        } catch (StorageException unreadable) {
            findings.unreadable(key, 0, unreadable);
        }
    }

    /**
     * True if the key lives, and names the lease; also if it is damaged, which is told elsewhere.
     */
    private boolean names(Bytes key, long lease) {
        Bytes head = snapshot.get(coder.headKey(key));
        try {
            return head != null && Version.decode(key, head).lease() == lease;
        } catch (StorageException undecodable) {
            return true;
        }
    }

    /** Records that nothing here knows. */
    private void unknown() {
        KeyRange[] known = {coder.log(), coder.leases(), coder.attachments(), coder.members()};
        try (Cursor cursor = snapshot.cursor(coder.metaRange(), Cursor.Direction.FORWARD)) {
            boolean found = cursor.next();
            while (found) {
                Bytes at = cursor.key();
                KeyRange within = null;
                for (KeyRange range : known) {
                    within = range.contains(at) ? range : within;
                }
                if (within != null) {
                    found = cursor.seek(within.end());
                    continue;
                }
                if (!isSmall(at)) {
                    findings.store("a record of no known kind: " + at);
                }
                found = cursor.next();
            }
        } catch (StorageException unreadable) {
            findings.unreadable(null, 0, unreadable);
        }
    }

    private boolean isSmall(Bytes at) {
        return at.equals(coder.fenceKey())
                || at.equals(coder.compactKey())
                || at.equals(coder.alarmKey())
                || at.equals(coder.leaderKey())
                || at.equals(coder.identityKey());
    }

    private Walk.Visitor visitor(PairVisitor each, String where) {
        return new Walk.Visitor() {
            @Override
            public void pair(Bytes key, Bytes value) {
                each.pair(key, value);
            }

            @Override
            public void gap(Bytes before, Bytes after, StorageException why) {
                findings.gap(where, why);
            }
        };
    }

    /** Takes a pair. */
    private interface PairVisitor {
        void pair(Bytes key, Bytes value);
    }
}
