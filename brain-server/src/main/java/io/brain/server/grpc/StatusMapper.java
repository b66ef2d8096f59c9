package io.brain.server.grpc;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps failures to etcd's gRPC codes and exact error texts, which clients compare. */
public final class StatusMapper {
    private static final Logger LOG = LoggerFactory.getLogger(StatusMapper.class);

    /** The header {@code client-api-version} is not UTF-8. */
    static final Status INVALID_CLIENT_VERSION = invalid("etcdserver: invalid client api version");

    private StatusMapper() {}

    /** The status of a call that failed with {@code failure}, which becomes the status's cause. */
    public static Status of(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        return statusOf(cause).withCause(cause);
    }

    private static Status statusOf(Throwable failure) {
        if (failure instanceof BackendException known) {
            if (known.getCause() != null) {
                LOG.warn("request failed error={}", known.getMessage(), known.getCause());
            }
            return of(known.kind());
        }
        if (failure instanceof StatusRuntimeException status) {
            return status.getStatus();
        }
        if (failure instanceof CancellationException) {
            return Status.CANCELLED.withDescription("context canceled");
        }
        LOG.error("unexpected request failure", failure);
        return Status.UNKNOWN.withDescription("internal error: " + failure);
    }

    /** The status of a failure of that kind. */
    public static Status of(ErrorKind kind) {
        return switch (kind) {
            case KEY_NOT_PROVIDED -> invalid("etcdserver: key is not provided");
            case KEY_NOT_FOUND -> invalid("etcdserver: key not found");
            case VALUE_PROVIDED -> invalid("etcdserver: value is provided");
            case LEASE_PROVIDED -> invalid("etcdserver: lease is provided");
            case TOO_MANY_OPS -> invalid("etcdserver: too many operations in txn request");
            case DUPLICATE_KEY -> invalid("etcdserver: duplicate key given in txn request");
            case INVALID_SORT_OPTION -> invalid("etcdserver: invalid sort option");
            case REQUEST_TOO_LARGE -> invalid("etcdserver: request is too large");
            // grpc-go's error for a response above 2 GiB, etcd's maximum.
            case ANSWER_TOO_LARGE ->
                    Status.RESOURCE_EXHAUSTED.withDescription(
                            "grpc: trying to send message larger than max");
            case STANDBY ->
                    Status.UNAVAILABLE.withDescription(
                            "brain: the server is a standby of another cluster");
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
            // etcd intends ResourceExhausted, but sends Unknown.
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
            // etcd's error if no leader is known during the request timeout.
            case DEADLINE_EXCEEDED ->
                    Status.DEADLINE_EXCEEDED.withDescription("context deadline exceeded");
            case STOPPED -> unavailable("etcdserver: server stopped");
            case WATCH_INTERRUPTED -> unavailable("etcdserver: watch stream interrupted");
            case INTERNAL -> Status.UNKNOWN.withDescription("etcdserver: internal error");
            default -> ofAuth(kind);
        };
    }

    private static Status ofAuth(ErrorKind kind) {
        return switch (kind) {
            case ROOT_USER_MISSING -> precondition("etcdserver: root user does not exist");
            case ROOT_ROLE_MISSING -> precondition("etcdserver: root user does not have root role");
            case USER_EXISTS -> precondition("etcdserver: user name already exists");
            case USER_EMPTY -> invalid("etcdserver: user name is empty");
            case USER_NOT_FOUND -> precondition("etcdserver: user name not found");
            case ROLE_EXISTS -> precondition("etcdserver: role name already exists");
            case ROLE_NOT_FOUND -> precondition("etcdserver: role name not found");
            case ROLE_EMPTY -> invalid("etcdserver: role name is empty");
            case AUTH_FAILED ->
                    invalid("etcdserver: authentication failed, invalid user ID or password");
            // etcd has no status of its own for it.
            case NO_PASSWORD_USER ->
                    Status.UNKNOWN.withDescription(
                            "auth: authentication failed, password was given for no password"
                                    + " user");
            case PERMISSION_NOT_GIVEN -> invalid("etcdserver: permission not given");
            case PERMISSION_DENIED ->
                    Status.PERMISSION_DENIED.withDescription("etcdserver: permission denied");
            case ROLE_NOT_GRANTED -> precondition("etcdserver: role is not granted to the user");
            case PERMISSION_NOT_GRANTED ->
                    precondition("etcdserver: permission is not granted to the role");
            case AUTH_NOT_ENABLED -> precondition("etcdserver: authentication is not enabled");
            case INVALID_AUTH_TOKEN ->
                    Status.UNAUTHENTICATED.withDescription("etcdserver: invalid auth token");
            case INVALID_AUTH_MANAGEMENT -> invalid("etcdserver: invalid auth management");
            case AUTH_OLD_REVISION -> invalid("etcdserver: revision of auth store is old");
            default -> throw new IllegalArgumentException("unknown kind: " + kind);
        };
    }

    private static Status invalid(String text) {
        return Status.INVALID_ARGUMENT.withDescription(text);
    }

    private static Status precondition(String text) {
        return Status.FAILED_PRECONDITION.withDescription(text);
    }

    private static Status unavailable(String text) {
        return Status.UNAVAILABLE.withDescription(text);
    }
}
