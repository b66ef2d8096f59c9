package io.brain.server.tls;

import io.brain.server.config.BrainConfig.Identity;
import io.brain.server.config.BrainConfig.SelfSigned;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Generates a self-signed certificate and key, as files. */
final class SelfSignedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SelfSignedFiles.class);
    private static final Duration YEAR = Duration.ofDays(365);

    private SelfSignedFiles() {}

    /**
     * Generates the files, unless both exist.
     *
     * @throws IOException if they cannot be written
     */
    static void ensure(Identity files, SelfSigned wanted) throws IOException {
        if (Files.exists(files.certificates()) && Files.exists(files.key())) {
            return;
        }
        Instant now = Instant.now();
        Instant end = now.plus(YEAR.multipliedBy(wanted.years()));
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair keys = generator.generateKeyPair();
            byte[] certificate = Certificate.selfSigned(keys, wanted.hosts(), now, end);
            Path directory = files.certificates().toAbsolutePath().getParent();
            Files.createDirectories(directory);
            Files.deleteIfExists(files.key());
            Files.createFile(
                    files.key(),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.writeString(files.key(), pem("PRIVATE KEY", keys.getPrivate().getEncoded()));
            Files.writeString(files.certificates(), pem("CERTIFICATE", certificate));
        } catch (IOException unwritable) {
            throw new IOException(
                    "cannot write " + files.certificates() + ": " + unwritable, unwritable);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
        LOG.warn("generated self-signed certificate {}, valid until {}", files.certificates(), end);
    }

    private static String pem(String what, byte[] der) {
        byte[] newline = "\n".getBytes(StandardCharsets.US_ASCII);
        String text = Base64.getMimeEncoder(64, newline).encodeToString(der);
        return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }
}
