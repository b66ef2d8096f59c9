package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.Member;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.MemberAddRequest;
import io.brain.proto.etcd.MemberUpdateRequest;
import io.brain.server.FakeBackend;
import io.brain.server.FakeCluster;
import io.brain.server.TestServer;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of the members, with a shared storage unless a test says otherwise. */
class MemberChangesTest {
    private static final MemberUpdateRequest NO_MEMBER = MemberUpdateRequest.getDefaultInstance();

    private TestServer server;
    private FakeCluster members;
    private ClusterGrpc.ClusterBlockingStub cluster;

    @BeforeEach
    void start() throws Exception {
        start(new TestServer());
    }

    private void start(TestServer started) {
        server = started;
        members = server.backend.cluster;
        members.shared = true;
        cluster = ClusterGrpc.newBlockingStub(server.channel());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unix://127.0.0.1:21800012",
                "unix:///run/brain/peer.sock",
                "unixs://localhost:1",
                "http://:2380",
                "https://[::1]:2380",
                " http://10.0.0.2:2380 "
            })
    void validPeerUrlsAreAccepted(String url) {
        assertThat(add(url)).isEqualTo(url.strip());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://h", "http://h:1/path", "ftp://h:1", "http://h:port", "http:/h:1"})
    void invalidPeerUrlsAreRefused(String url) {
        assertThat(add(url))
                .isEqualTo("INVALID_ARGUMENT etcdserver: given member URLs are invalid");
    }

    @Test
    void aMajorityMustBeStarted() {
        assertThat(add("http://10.0.0.2:2380")).isEqualTo("http://10.0.0.2:2380");
        assertThat(add("http://10.0.0.3:2380"))
                .isEqualTo(
                        "UNKNOWN etcdserver: re-configuration failed due to not enough started"
                                + " members");
    }

    @Test
    void aMajorityCountingTheNewMemberMustRespond() {
        started(2);
        started(3);
        assertThat(add("http://10.0.0.4:2380")).isEqualTo("http://10.0.0.4:2380");
        members.members.remove(3);
        members.silent.add(3L);
        assertThat(add("http://10.0.0.5:2380"))
                .isEqualTo("UNAVAILABLE etcdserver: unhealthy cluster");
        assertThat(add("http://10.0.0.2:2380"))
                .as("before the URLs are compared")
                .isEqualTo("UNAVAILABLE etcdserver: unhealthy cluster");
    }

    @Test
    void withoutTheStrictCheckAMemberIsAlwaysAdded() throws Exception {
        server.close();
        start(new TestServer("--strict-reconfig-check=false"));
        assertThat(add("http://10.0.0.2:2380")).isEqualTo("http://10.0.0.2:2380");
        assertThat(add("http://10.0.0.3:2380")).isEqualTo("http://10.0.0.3:2380");
    }

    @Test
    void aLearnerIsAFullMember() {
        MemberAddRequest request =
                MemberAddRequest.newBuilder()
                        .setIsLearner(true)
                        .addPeerURLs("http://10.0.0.2:2380")
                        .build();
        assertThat(cluster.memberAdd(request).getMember().getIsLearner()).isFalse();
        assertThat(members.members).hasSize(2);
    }

    @Test
    void peerUrlsAreCheckedOnlyIfOthersConnectToThem() {
        assertThat(update("not a url"))
                .isEqualTo("INVALID_ARGUMENT etcdserver: given member URLs are invalid");
        members.shared = false;
        assertThat(update("not a url")).isEqualTo("not a url");
    }

    @Test
    void anUnknownMemberCannotBeUpdated() {
        assertThat(answer(() -> cluster.memberUpdate(NO_MEMBER).getMembers(0)))
                .isEqualTo("NOT_FOUND etcdserver: member not found");
    }

    @Test
    void anUpdateWithoutChangeIsAccepted() {
        assertThat(update("http://10.0.0.1:2380")).isEqualTo("http://10.0.0.1:2380");
        assertThat(members.members).hasSize(1);
    }

    private void started(long id) {
        members.members.add(
                new Member(id, "m" + id, List.of("http://10.0.0." + id + ":2380"), List.of()));
    }

    private String add(String url) {
        MemberAddRequest request = MemberAddRequest.newBuilder().addPeerURLs(url).build();
        return answer(() -> cluster.memberAdd(request).getMember());
    }

    private String update(String url) {
        MemberUpdateRequest request =
                MemberUpdateRequest.newBuilder().setID(FakeBackend.MEMBER).addPeerURLs(url).build();
        return answer(() -> cluster.memberUpdate(request).getMembers(0));
    }

    /** The first peer URL of a call's member, or its error. */
    private static String answer(Supplier<io.brain.proto.etcd.Member> call) {
        try {
            return call.get().getPeerURLs(0);
        } catch (StatusRuntimeException failure) {
            return failure.getStatus().getCode() + " " + failure.getStatus().getDescription();
        }
    }
}
