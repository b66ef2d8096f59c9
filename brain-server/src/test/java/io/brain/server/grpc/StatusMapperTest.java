package io.brain.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.grpc.Status;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusMapperTest {
    private static final Set<ErrorKind> TESTED = EnumSet.noneOf(ErrorKind.class);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "KEY_NOT_PROVIDED|INVALID_ARGUMENT|etcdserver: key is not provided",
                "KEY_NOT_FOUND|INVALID_ARGUMENT|etcdserver: key not found",
                "VALUE_PROVIDED|INVALID_ARGUMENT|etcdserver: value is provided",
                "LEASE_PROVIDED|INVALID_ARGUMENT|etcdserver: lease is provided",
                "TOO_MANY_OPS|INVALID_ARGUMENT|etcdserver: too many operations in txn request",
                "DUPLICATE_KEY|INVALID_ARGUMENT|etcdserver: duplicate key given in txn request",
                "INVALID_SORT_OPTION|INVALID_ARGUMENT|etcdserver: invalid sort option",
                "REQUEST_TOO_LARGE|INVALID_ARGUMENT|etcdserver: request is too large",
                "ANSWER_TOO_LARGE|RESOURCE_EXHAUSTED"
                        + "|grpc: trying to send message larger than max",
                "COMPACTED|OUT_OF_RANGE|etcdserver: mvcc: required revision has been compacted",
                "FUTURE_REVISION|OUT_OF_RANGE"
                        + "|etcdserver: mvcc: required revision is a future revision",
                "LEASE_NOT_FOUND|NOT_FOUND|etcdserver: requested lease not found",
                "LEASE_EXISTS|FAILED_PRECONDITION|etcdserver: lease already exists",
                "LEASE_TTL_TOO_LARGE|OUT_OF_RANGE|etcdserver: too large lease TTL",
                "NO_SPACE|RESOURCE_EXHAUSTED|etcdserver: mvcc: database space exceeded",
                "CORRUPT|DATA_LOSS|etcdserver: corrupt cluster",
                "TOO_MANY_REQUESTS|UNKNOWN|etcdserver: too many requests",
                "NO_LEADER|UNAVAILABLE|etcdserver: no leader",
                "LEADER_CHANGED|UNAVAILABLE|etcdserver: leader changed",
                "LEADER_FAILED|UNAVAILABLE"
                        + "|etcdserver: request timed out, possibly due to previous leader failure",
                "CONNECTION_LOST|UNAVAILABLE"
                        + "|etcdserver: request timed out, possibly due to connection lost",
                "NOT_LEADER|FAILED_PRECONDITION|etcdserver: not leader",
                "TRANSFER_TIMEOUT|UNKNOWN|etcdserver: request timed out, leader transfer took too"
                        + " long",
                "TIMEOUT|UNAVAILABLE|etcdserver: request timed out",
                "DEADLINE_EXCEEDED|DEADLINE_EXCEEDED|context deadline exceeded",
                "STOPPED|UNAVAILABLE|etcdserver: server stopped",
                "STANDBY|UNAVAILABLE|brain: the server is a standby of another cluster",
                "WATCH_INTERRUPTED|UNAVAILABLE|etcdserver: watch stream interrupted",
                "ROOT_USER_MISSING|FAILED_PRECONDITION|etcdserver: root user does not exist",
                "ROOT_ROLE_MISSING|FAILED_PRECONDITION|etcdserver: root user does not have root"
                        + " role",
                "USER_EXISTS|FAILED_PRECONDITION|etcdserver: user name already exists",
                "USER_EMPTY|INVALID_ARGUMENT|etcdserver: user name is empty",
                "USER_NOT_FOUND|FAILED_PRECONDITION|etcdserver: user name not found",
                "ROLE_EXISTS|FAILED_PRECONDITION|etcdserver: role name already exists",
                "ROLE_NOT_FOUND|FAILED_PRECONDITION|etcdserver: role name not found",
                "ROLE_EMPTY|INVALID_ARGUMENT|etcdserver: role name is empty",
                "AUTH_FAILED|INVALID_ARGUMENT"
                        + "|etcdserver: authentication failed, invalid user ID or password",
                "NO_PASSWORD_USER|UNKNOWN"
                        + "|auth: authentication failed, password was given for no password user",
                "PERMISSION_NOT_GIVEN|INVALID_ARGUMENT|etcdserver: permission not given",
                "PERMISSION_DENIED|PERMISSION_DENIED|etcdserver: permission denied",
                "ROLE_NOT_GRANTED|FAILED_PRECONDITION|etcdserver: role is not granted to the user",
                "PERMISSION_NOT_GRANTED|FAILED_PRECONDITION"
                        + "|etcdserver: permission is not granted to the role",
                "AUTH_NOT_ENABLED|FAILED_PRECONDITION|etcdserver: authentication is not enabled",
                "INVALID_AUTH_TOKEN|UNAUTHENTICATED|etcdserver: invalid auth token",
                "INVALID_AUTH_MANAGEMENT|INVALID_ARGUMENT|etcdserver: invalid auth management",
                "AUTH_OLD_REVISION|INVALID_ARGUMENT|etcdserver: revision of auth store is old",
                "INTERNAL|UNKNOWN|etcdserver: internal error"
            })
    void everyKindHasEtcdsCodeAndText(ErrorKind kind, Status.Code code, String text) {
        TESTED.add(kind);
        Status status = StatusMapper.of(new CompletionException(new BackendException(kind)));
        assertThat(status.getCode()).isEqualTo(code);
        assertThat(status.getDescription()).isEqualTo(text);
    }

    @org.junit.jupiter.api.AfterAll
    static void everyKindIsTested() {
        assertThat(TESTED).isEqualTo(EnumSet.allOf(ErrorKind.class));
    }

    @Test
    void aCancelledRequestHasGrpcGosText() {
        Status status = StatusMapper.of(new CancellationException());
        assertThat(status.getCode()).isEqualTo(Status.Code.CANCELLED);
        assertThat(status.getDescription()).isEqualTo("context canceled");
    }

    @Test
    void unexpectedFailuresAreUnknown() {
        Status status = StatusMapper.of(new IllegalStateException("test"));
        assertThat(status.getCode()).isEqualTo(Status.Code.UNKNOWN);
    }
}
