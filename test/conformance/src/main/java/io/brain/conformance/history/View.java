package io.brain.conformance.history;

import com.google.protobuf.Message;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.CompactionResponse;
import io.brain.proto.etcd.LeaseGrantResponse;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseRevokeResponse;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.mvcc.KeyValue;
import java.util.ArrayList;
import java.util.List;

/**
 * What a generator knows of the store from the answers so far, so that what it asks next is often
 * near the truth. For one thread.
 */
final class View {

    private long revision;
    private long floor;
    private List<KeyValue> keys = List.of();
    private final List<Long> leases = new ArrayList<>();

    View(long revision) {
        this.revision = revision;
        this.floor = revision;
    }

    /** Takes in an answer. */
    void saw(Message request, Message answer) {
        var header = answer.getDescriptorForType().findFieldByName("header");
        if (header != null
                && answer.getField(header)
                        instanceof io.brain.proto.etcd.ResponseHeader responseHeader) {
            revision = Math.max(revision, responseHeader.getRevision());
        }
        if (request instanceof RangeRequest asked
                && answer instanceof RangeResponse range
                && asked.equals(Generator.EVERYTHING)) {
            keys = range.getKvsList();
        } else if (request instanceof CompactionRequest asked
                && answer instanceof CompactionResponse) {
            floor = Math.max(floor, asked.getRevision());
        } else if (answer instanceof LeaseGrantResponse granted) {
            leases.add(granted.getID());
        } else if (request instanceof LeaseRevokeRequest asked
                && answer instanceof LeaseRevokeResponse) {
            leases.remove(asked.getID());
        }
    }

    long revision() {
        return revision;
    }

    /** The compacted revision. */
    long floor() {
        return floor;
    }

    /** The keys, as they were when everything was last read. */
    List<KeyValue> keys() {
        return keys;
    }

    /** The leases that were granted and not revoked. */
    List<Long> leases() {
        return leases;
    }
}
