package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.testkit.SelfSignedKey;
import io.grpc.TlsServerCredentials;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PD and TiKV with TLS, which require client certificates. */
class TlsTest {
    @TempDir private static Path directory;

    @BeforeAll
    static void createCertificates() throws Exception {
        for (String name : new String[] {"server", "client", "stranger"}) {
            create(name);
        }
    }

    @Test
    void bothSidesAreVerified() throws Exception {
        try (StubCluster cluster = start();
                KvStorage storage = open(cluster, "server", "client");
                Snapshot snapshot = storage.snapshot()) {
            assertThat(snapshot.get(Bytes.utf8("a"))).isNull();
        }
    }

    @Test
    void anUnknownCertificateIsRefused() throws Exception {
        try (StubCluster cluster = start()) {
            assertThatThrownBy(() -> open(cluster, "stranger", "client"))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("PD");
            assertThatThrownBy(() -> open(cluster, "server", "stranger"))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("PD");
        }
    }

    @Test
    void filesThatCannotBeUsedAreRefused() throws Exception {
        Files.writeString(directory.resolve("text.pem"), "text");
        Files.writeString(directory.resolve("text.key"), "text");
        try (StubCluster cluster = start()) {
            assertThat(refusal(cluster, "server", "absent"))
                    .startsWith("cannot read the file for TiKV: ")
                    .endsWith("absent.pem");
            assertThat(refusal(cluster, "server", "text"))
                    .startsWith("cannot use the certificates for TiKV: ");
            assertThat(refusal(cluster, "text", "client"))
                    .startsWith("cannot use the certificates for TiKV: ");
        }
    }

    private static String refusal(StubCluster cluster, String authority, String own) {
        try (KvStorage opened = open(cluster, authority, own)) {
            return "opened " + opened;
        } catch (StorageException refused) {
            assertThat(refused.kind()).as(refused.getMessage()).isEqualTo(Kind.REFUSED);
            return refused.getMessage();
        }
    }

    private static StubCluster start() throws Exception {
        return new StubCluster(
                1,
                TlsServerCredentials.newBuilder()
                        .keyManager(file("server.pem"), file("server.key"))
                        .trustManager(file("client.pem"))
                        .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
                        .build());
    }

    private static KvStorage open(StubCluster cluster, String authority, String own) {
        return cluster.open(
                "ca-file",
                file(authority + ".pem").toString(),
                "cert-file",
                file(own + ".pem").toString(),
                "key-file",
                file(own + ".key").toString());
    }

    private static File file(String name) {
        return directory.resolve(name).toFile();
    }

    /** A key with a certificate that is its own authority. */
    private static void create(String name) throws Exception {
        KeyStore keys = SelfSignedKey.create(directory.resolve(name + ".store"), name);
        String alias = keys.aliases().nextElement();
        write(name + ".pem", "CERTIFICATE", keys.getCertificate(alias).getEncoded());
        write(
                name + ".key",
                "PRIVATE KEY",
                keys.getKey(alias, SelfSignedKey.password()).getEncoded());
    }

    private static void write(String name, String type, byte[] content) throws Exception {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                directory.resolve(name),
                "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, base64, type));
    }
}
