package io.brain.server.etcd;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** etcd's gRPC code and exact words for every failure; clients compare the words. */
final class StatusMapper {
    private static final Logger LOG = LoggerFactory.getLogger(StatusMapper.class);

    private StatusMapper() {}

    /** How a call ends that failed with {@code failure}. */
    static Status of(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof BackendException known) {
            if (known.getCause() != null) {
                LOG.warn("a request failed: {}", known.getMessage(), known.getCause());
            }
            return of(known.kind());
        }
        if (cause instanceof StatusRuntimeException status) {
            return status.getStatus();
        }
        if (cause instanceof StatusException status) {
            return status.getStatus();
        }
        if (cause instanceof CancellationException) {
            return Status.CANCELLED.withDescription("context canceled");
        }
        LOG.error("a request failed unexpectedly", cause);
        return Status.UNKNOWN.withDescription("internal error: " + cause);
    }

    /** How a call ends that failed for {@code kind}. */
    static Status of(ErrorKind kind) {
        return switch (kind) {
            case KEY_NOT_PROVIDED -> invalid("etcdserver: key is not provided");
            case KEY_NOT_FOUND -> invalid("etcdserver: key not found");
            case VALUE_PROVIDED -> invalid("etcdserver: value is provided");
            case LEASE_PROVIDED -> invalid("etcdserver: lease is provided");
            case TOO_MANY_OPS -> invalid("etcdserver: too many operations in txn request");
            case DUPLICATE_KEY -> invalid("etcdserver: duplicate key given in txn request");
            case INVALID_SORT_OPTION -> invalid("etcdserver: invalid sort option");
            case REQUEST_TOO_LARGE -> invalid("etcdserver: request is too large");
            // What grpc-go says of an answer of more than 2 GiB, the most that an etcd sends.
            case ANSWER_TOO_LARGE ->
                    Status.RESOURCE_EXHAUSTED.withDescription(
                            "grpc: trying to send message larger than max");
            case COMPACTED ->
                    Status.OUT_OF_RANGE.withDescription(
                            "etcdserver: mvcc: required revision has been compacted");
            case FUTURE_REVISION ->
                    Status.OUT_OF_RANGE.withDescription(
                            "etcdserver: mvcc: required revision is a future revision");
            case LEASE_NOT_FOUND ->
                    Status.NOT_FOUND.withDescription("etcdserver: requested lease not found");
            case LEASE_EXISTS ->
                    Status.FAILED_PRECONDITION.withDescription("etcdserver: lease already exists");
            case LEASE_TTL_TOO_LARGE ->
                    Status.OUT_OF_RANGE.withDescription("etcdserver: too large lease TTL");
            case NO_SPACE ->
                    Status.RESOURCE_EXHAUSTED.withDescription(
                            "etcdserver: mvcc: database space exceeded");
            case CORRUPT -> Status.DATA_LOSS.withDescription("etcdserver: corrupt cluster");
            // etcd means ResourceExhausted, but sends Unknown.
            case TOO_MANY_REQUESTS ->
                    Status.UNKNOWN.withDescription("etcdserver: too many requests");
            case NO_LEADER -> unavailable("etcdserver: no leader");
            case LEADER_CHANGED -> unavailable("etcdserver: leader changed");
            case NOT_LEADER -> Status.FAILED_PRECONDITION.withDescription("etcdserver: not leader");
            case TRANSFER_TIMEOUT ->
                    Status.UNKNOWN.withDescription(
                            "etcdserver: request timed out, leader transfer took too long");
            case TIMEOUT -> unavailable("etcdserver: request timed out");
            case LEADER_FAILED ->
                    unavailable(
                            "etcdserver: request timed out, possibly due to previous leader"
                                    + " failure");
            case CONNECTION_LOST ->
                    unavailable("etcdserver: request timed out, possibly due to connection lost");
            // What etcd says where no leader was known for as long as a request may wait.
            case DEADLINE_EXCEEDED ->
                    Status.DEADLINE_EXCEEDED.withDescription("context deadline exceeded");
            case STOPPED -> unavailable("etcdserver: server stopped");
            case WATCH_INTERRUPTED -> unavailable("etcdserver: watch stream interrupted");
            case INTERNAL -> Status.UNKNOWN.withDescription("etcdserver: internal error");
        };
    }

    private static Status invalid(String text) {
        return Status.INVALID_ARGUMENT.withDescription(text);
    }

    private static Status unavailable(String text) {
        return Status.UNAVAILABLE.withDescription(text);
    }
}
