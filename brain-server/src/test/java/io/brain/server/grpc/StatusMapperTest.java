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
                "WATCH_INTERRUPTED|UNAVAILABLE|etcdserver: watch stream interrupted",
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
