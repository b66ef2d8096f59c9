package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.model.NodeStatus;
import io.brain.proto.etcd.ResponseHeader;

/** Makes the header that every answer carries. */
final class Headers {
    private final Backend backend;
    private final long clusterId;
    private final long memberId;

    Headers(Backend backend) {
        this.backend = backend;
        NodeStatus status = backend.status();
        this.clusterId = status.clusterId();
        this.memberId = status.memberId();
    }

    long memberId() {
        return memberId;
    }

    /** The header of an answer that knows its revision; 0 where etcd's has none. */
    ResponseHeader at(long revision) {
        return ResponseHeader.newBuilder()
                .setClusterId(clusterId)
                .setMemberId(memberId)
                .setRevision(revision)
                .setRaftTerm(backend.status().epoch())
                .build();
    }

    /** The header of an answer that is about no particular revision: the newest one. */
    ResponseHeader now() {
        return at(backend.status().revision());
    }
}
