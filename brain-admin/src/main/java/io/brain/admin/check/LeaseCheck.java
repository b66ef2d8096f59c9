package io.brain.admin.check;

import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaseRecord;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;

/** Checks leases and their attachments: leases are valid, and attached keys name their lease. */
final class LeaseCheck {
    private static final Bytes ATTACHED = Bytes.wrap(new byte[] {1});

    private final CheckedStore store;
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Findings findings;

    LeaseCheck(CheckedStore store) {
        this.store = store;
        snapshot = store.snapshot();
        coder = store.coder();
        findings = store.findings();
    }

    void run() {
        store.scan("leases", coder.leases(), this::checkLease);
        store.scan("lease attachments", coder.attachments().range(), this::checkAttachment);
    }

    private void checkLease(Bytes at, Bytes value) {
        store.totals().leases++;
        if (!coder.isLeaseKey(at)) {
            findings.store("lease with an invalid key: " + at);
            return;
        }
        try {
            LeaseRecord lease = LeaseRecord.decode(value);
            boolean sound = lease.ttl() > 0 && lease.remaining() >= 0;
            if (!sound || !lease.encode().equals(value)) {
                findings.store("lease %x is invalid: %s".formatted(coder.leaseId(at), lease));
            }
        } catch (StorageException undecodable) {
            findings.store("lease %x cannot be decoded".formatted(coder.leaseId(at)));
        }
    }

    private void checkAttachment(Bytes at, Bytes value) {
        store.totals().attachments++;
        if (!coder.attachments().isKey(at) || !value.equals(ATTACHED)) {
            findings.store("invalid lease attachment: " + at);
            return;
        }
        long lease = coder.attachments().number(at);
        Bytes key = coder.attachments().userKey(at);
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

    /** True if the key exists and names the lease, or is damaged, which HeadCheck reports. */
    private boolean names(Bytes key, long lease) {
        Bytes head = snapshot.get(coder.headKey(key));
        try {
            return head != null
                    && KeyValue.decode(VersionRecord.decode(head).kv()).lease() == lease;
        } catch (StorageException undecodable) {
            return true;
        }
    }
}
