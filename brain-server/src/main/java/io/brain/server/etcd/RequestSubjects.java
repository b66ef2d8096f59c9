package io.brain.server.etcd;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchRequest;
import io.brain.server.logging.AccessLine.Subject;
import io.brain.storage.Bytes;

/** Finds the keys and leases of requests for the access log. */
final class RequestSubjects {
    private RequestSubjects() {}

    /**
     * The subject of a request, copied from it.
     *
     * @param request null if it was malformed
     */
    static Subject of(Object request) {
        if (request instanceof RangeRequest range) {
            return keys(range.getKey(), range.getRangeEnd(), 0);
        } else if (request instanceof PutRequest put) {
            return keys(put.getKey(), ByteString.EMPTY, put.getLease());
        } else if (request instanceof DeleteRangeRequest delete) {
            return keys(delete.getKey(), delete.getRangeEnd(), 0);
        } else if (request instanceof TxnRequest txn) {
            return txn(txn);
        } else if (request instanceof WatchRequest watch && watch.hasCreateRequest()) {
            WatchCreateRequest create = watch.getCreateRequest();
            return keys(create.getKey(), create.getRangeEnd(), 0);
        }
        long lease = lease(request);
        return lease == 0 ? Subject.NONE : keys(ByteString.EMPTY, ByteString.EMPTY, lease);
    }

    private static Subject txn(TxnRequest txn) {
        int operations = txn.getSuccessCount() + txn.getFailureCount();
        Subject first;
        if (txn.getSuccessCount() > 0) {
            first = operation(txn.getSuccess(0));
        } else if (txn.getFailureCount() > 0) {
            first = operation(txn.getFailure(0));
        } else if (txn.getCompareCount() > 0) {
            first = keys(txn.getCompare(0).getKey(), txn.getCompare(0).getRangeEnd(), 0);
        } else {
            first = Subject.NONE;
        }
        return new Subject(
                first.key(), first.keyBytes(), first.rangeEnd(), operations, first.lease());
    }

    private static Subject operation(RequestOp operation) {
        return switch (operation.getRequestCase()) {
            case REQUEST_RANGE -> of(operation.getRequestRange());
            case REQUEST_PUT -> of(operation.getRequestPut());
            case REQUEST_DELETE_RANGE -> of(operation.getRequestDeleteRange());
            case REQUEST_TXN, REQUEST_NOT_SET -> Subject.NONE;
        };
    }

    private static long lease(Object request) {
        if (request instanceof LeaseGrantRequest grant) {
            return grant.getID();
        } else if (request instanceof LeaseRevokeRequest revoke) {
            return revoke.getID();
        } else if (request instanceof LeaseKeepAliveRequest keepAlive) {
            return keepAlive.getID();
        } else if (request instanceof LeaseTimeToLiveRequest timeToLive) {
            return timeToLive.getID();
        }
        return 0;
    }

    private static Subject keys(ByteString key, ByteString rangeEnd, long lease) {
        return new Subject(truncated(key), key.size(), truncated(rangeEnd), 0, lease);
    }

    /** A copy of the first bytes. */
    private static Bytes truncated(ByteString bytes) {
        int length = Math.min(bytes.size(), Subject.KEY_BYTES_MAX);
        return Bytes.wrap(bytes.substring(0, length).toByteArray());
    }
}
