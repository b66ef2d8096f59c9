package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.GrantedLease;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrantResponse;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseLeasesResponse;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.brain.server.Eventually;
import io.brain.server.FakeBackend;
import io.brain.server.TestServer;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeaseTest {
    private TestServer server;
    private LeaseGrpc.LeaseBlockingStub leases;

    @BeforeEach
    void start() throws Exception {
        server = new TestServer();
        leases = LeaseGrpc.newBlockingStub(server.channel());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aGrantReturnsIdAndTtl() {
        LeaseGrantResponse granted =
                leases.leaseGrant(LeaseGrantRequest.newBuilder().setID(-7).setTTL(60).build());
        assertThat(granted.getID()).isEqualTo(-7);
        assertThat(granted.getTTL()).isEqualTo(60);
        assertThat(granted.getError()).isEmpty();
        assertThat(granted.getHeader().getRevision()).isEqualTo(FakeBackend.REVISION);
    }

    @Test
    void anUnknownLeaseCannotBeRevoked() {
        assertThat(
                        Statuses.textOf(
                                () -> leases.leaseRevoke(LeaseRevokeRequest.getDefaultInstance())))
                .isEqualTo("NOT_FOUND etcdserver: requested lease not found");
    }

    @Test
    void anUnknownLeaseHasTtlMinusOne() {
        LeaseTimeToLiveResponse response =
                leases.leaseTimeToLive(LeaseTimeToLiveRequest.newBuilder().setID(3).build());
        assertThat(response.getID()).isEqualTo(3);
        assertThat(response.getTTL()).isEqualTo(-1);
        assertThat(response.getGrantedTTL()).isZero();
    }

    @Test
    void allLeasesAreListed() {
        LeaseLeasesResponse response = leases.leaseLeases(LeaseLeasesRequest.getDefaultInstance());
        assertThat(response.getLeasesList())
                .extracting(LeaseStatus::getID)
                .containsExactly(5L, -6L);
        assertThat(response.getHeader().getRevision()).isEqualTo(FakeBackend.REVISION);
    }

    @Test
    void keepAlivesAreProcessedInOrderOneAtATime() throws Exception {
        Queue<CompletableFuture<GrantedLease>> pending = new ConcurrentLinkedQueue<>();
        server.backend.onKeepAlive =
                () -> {
                    CompletableFuture<GrantedLease> renewal = new CompletableFuture<>();
                    pending.add(renewal);
                    return renewal;
                };
        RawCall call = keepAlive().send(renew(1)).send(renew(2)).send(renew(3)).halfClose();
        Eventually.holds(() -> pending.size() == 1);
        Thread.sleep(50);
        assertThat(server.backend.renewals).containsExactly(1L);
        for (long id = 1; id <= 3; id++) {
            long ttl = id == 2 ? 0 : 60;
            Eventually.holds(() -> !pending.isEmpty());
            pending.remove().complete(new GrantedLease(id, ttl, FakeBackend.REVISION));
            LeaseKeepAliveResponse response = LeaseKeepAliveResponse.parseFrom(call.next());
            assertThat(response.getID()).isEqualTo(id);
            assertThat(response.getTTL()).isEqualTo(ttl);
            assertThat(response.getHeader().getRevision()).isEqualTo(FakeBackend.REVISION);
        }
        assertThat(call.end().isOk()).isTrue();
    }

    @Test
    void anErrorOfTheBackendClosesAKeepAliveStream() throws Exception {
        server.backend.onKeepAlive = () -> FakeBackend.failed(ErrorKind.NO_LEADER);
        RawCall call = keepAlive().send(renew(1));
        assertThat(call.end().getDescription()).isEqualTo("etcdserver: no leader");
    }

    @Test
    void aRenewalMayCompleteAfterTheStreamIsClosed() throws Exception {
        CompletableFuture<GrantedLease> late = new CompletableFuture<>();
        server.backend.onKeepAlive = () -> late;
        RawCall call = keepAlive().send(renew(1));
        Eventually.holds(() -> server.backend.renewals.size() == 1);
        call.cancel();
        call.end();
        late.complete(new GrantedLease(1, 60, 1));
        server.backend.onKeepAlive =
                () ->
                        CompletableFuture.completedFuture(
                                new GrantedLease(2, 60, FakeBackend.REVISION));
        assertThat(keepAlive().send(renew(2)).next()).isNotEmpty();
    }

    private RawCall keepAlive() {
        return new RawCall(server.channel(), "etcdserverpb.Lease/LeaseKeepAlive");
    }

    private static byte[] renew(long id) {
        return LeaseKeepAliveRequest.newBuilder().setID(id).build().toByteArray();
    }
}
