package io.brain.server.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.model.ErrorKind;
import io.brain.server.tls.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PeerTlsTest {
    @TempDir private Path directory;
    private TestAuthority authority;
    private PeerNode node;

    @BeforeEach
    void makeCertificates() throws Exception {
        authority = new TestAuthority("authority");
        Files.writeString(file("ca.crt"), authority.certificate());
        authority.issue(directory, "leader");
        authority.issue(directory, "follower");
        TestAuthority foreign = new TestAuthority("foreign");
        Files.writeString(file("foreign-ca.crt"), foreign.certificate());
        foreign.issue(directory, "foreign");
    }

    @AfterEach
    void stop() {
        if (node != null) {
            node.close();
        }
    }

    @Test
    void nodesWithCertificatesOfTheCaConnect() throws Exception {
        node = PeerNode.overTls(flags("leader", "ca"));
        requireConnected(node.secureLink("127.0.0.1", flags("follower", "ca")));
    }

    @Test
    void withoutACaAnyClientMayConnect() throws Exception {
        node = PeerNode.overTls(identity("leader"));
        requireConnected(node.secureLink("127.0.0.1", trusted("ca")));
        requireRefused(node.secureLink("127.0.0.1", trusted("foreign-ca")));
    }

    @Test
    void aClientWithoutCertificateIsRefused() throws Exception {
        node = PeerNode.overTls(flags("leader", "ca"));
        requireRefused(node.secureLink("127.0.0.1", trusted("ca")));
    }

    @Test
    void aCertificateOfAnotherCaIsRefused() throws Exception {
        node = PeerNode.overTls(flags("leader", "ca"));
        requireRefused(node.secureLink("127.0.0.1", flags("foreign", "ca")));
        RecordingSink sink = new RecordingSink();
        node.secureLink("127.0.0.1", flags("foreign", "ca")).eventStream(1, sink);
        assertThat(sink.ended.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void clientCertificatesCanBeRequiredWithTheSystemCas() throws Exception {
        String[] wanted = {
            "--peer-cert-file=" + file("leader.crt"),
            "--peer-key-file=" + file("leader.key"),
            "--peer-client-cert-auth"
        };
        node = PeerNode.overTls(wanted);
        requireRefused(node.secureLink("127.0.0.1", trusted("ca")));
        requireRefused(
                node.secureLink("127.0.0.1", flags("follower", "ca"))); // not a CA of the JVM
    }

    @Test
    void aRevokedCertificateIsRefused() throws Exception {
        Files.write(file("crl"), authority.revoked(file("follower.crt")));
        authority.issue(directory, "other");
        node = PeerNode.overTls(flags("leader", "ca", "--peer-crl-file=" + file("crl")));
        requireConnected(node.secureLink("127.0.0.1", flags("other", "ca")));
        requireRefused(node.secureLink("127.0.0.1", flags("follower", "ca")));
    }

    @Test
    void theCommonNameMustBeAllowed() throws Exception {
        authority.issue(directory, "other");
        node = PeerNode.overTls(flags("leader", "ca", "--peer-cert-allowed-cn=follower,third"));
        requireConnected(node.secureLink("127.0.0.1", flags("follower", "ca")));
        requireRefused(node.secureLink("127.0.0.1", flags("other", "ca")));
    }

    @Test
    void nodesWithSelfSignedCertificatesConnect() throws Exception {
        String[] leader = {"--peer-auto-tls", "--data-dir=" + file("leader-data")};
        String[] follower = {
            "--peer-auto-tls",
            "--data-dir=" + file("follower-data"),
            "--listen-peer-urls=https://127.0.0.1:0"
        };
        node = PeerNode.overTls(leader);
        requireConnected(node.secureLink("localhost", follower));
        requireRefused(node.link());
    }

    @Test
    void aLeaderWithAnotherHostNameIsNotTrusted() throws Exception {
        node = PeerNode.overTls(flags("leader", "ca"));
        requireRefused(node.secureLink("localhost", flags("follower", "ca")));
    }

    @Test
    void aPlaintextConnectionIsRefused() throws Exception {
        node = PeerNode.overTls(flags("leader", "ca"));
        requireRefused(node.link());
    }

    @Test
    void renewedCertificatesAreUsedWithoutARestart() throws Exception {
        node = PeerNode.overTls(flags("leader", "ca"));
        requireConnected(node.secureLink("127.0.0.1", flags("follower", "ca")));
        TestAuthority renewed = new TestAuthority("renewed");
        renewed.issue(directory, "leader");
        renewed.issue(directory, "follower");
        Files.writeString(file("ca.crt"), renewed.certificate());
        Thread.sleep(1100); // files are checked every second
        requireConnected(node.secureLink("127.0.0.1", flags("follower", "ca")));
    }

    @Test
    void aMismatchedPairLeavesTheOldOneInUse() throws Exception {
        node = PeerNode.overTls(flags("leader", "ca"));
        Path key = file("leader.key");
        Files.writeString(key, TestAuthority.pem(TestAuthority.keys("EC").getPrivate()));
        Thread.sleep(1100);
        requireConnected(node.secureLink("127.0.0.1", flags("follower", "ca")));
    }

    @Test
    void invalidCertificatesPreventTheStart() throws Exception {
        assertThatThrownBy(() -> PeerNode.overTls(flags("nobody", "ca")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("nobody.crt");
        Files.writeString(file("leader.key"), Files.readString(file("follower.key")));
        assertThatThrownBy(() -> PeerNode.overTls(flags("leader", "ca")))
                .hasMessageContaining("private key does not match the certificate");
        Files.writeString(file("leader.key"), "nothing");
        assertThatThrownBy(() -> PeerNode.overTls(flags("leader", "ca")))
                .hasMessageContaining("no unencrypted private key found");
        Files.writeString(file("follower.crt"), "nothing");
        assertThatThrownBy(() -> PeerNode.overTls(flags("follower", "ca")))
                .hasMessageContaining("no certificate found");
    }

    private void requireConnected(LeaderLink link) throws Exception {
        CompletableFuture<?> call = link.submit(new ListLeases());
        while (node.leader.isIdle()) {
            if (call.isDone()) { // a slow handshake is given up after 3 s
                call = link.submit(new ListLeases());
            }
            Thread.sleep(5);
        }
        node.leader.next().result().complete(List.of(1L));
        assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(List.of(1L));
    }

    private void requireRefused(LeaderLink link) throws Exception {
        assertThat(LeaderCallsTest.kindOf(link.submit(new ListLeases())))
                .isEqualTo(ErrorKind.NOT_LEADER);
        assertThat(node.leader.isIdle()).isTrue();
    }

    private String[] flags(String who, String trusted, String... more) {
        Stream<String> all =
                Stream.of(
                        "--peer-cert-file=" + file(who + ".crt"),
                        "--peer-key-file=" + file(who + ".key"),
                        "--peer-trusted-ca-file=" + file(trusted + ".crt"));
        return Stream.concat(all, Stream.of(more)).toArray(String[]::new);
    }

    private String[] identity(String who) {
        return new String[] {
            "--peer-cert-file=" + file(who + ".crt"), "--peer-key-file=" + file(who + ".key")
        };
    }

    private String[] trusted(String authority) {
        return new String[] {"--peer-trusted-ca-file=" + file(authority + ".crt")};
    }

    private Path file(String name) {
        return directory.resolve(name);
    }
}
