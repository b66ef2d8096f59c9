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

/** A certificate and key of the server's own making, as files, made once. */
final class SelfSignedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SelfSignedFiles.class);
    private static final Duration YEAR = Duration.ofDays(365);

    private SelfSignedFiles() {}

    /**
     * Makes the files, unless both are there.
     *
     * @throws IOException if they cannot be written
     */
    static void make(Identity files, SelfSigned wanted) throws IOException {
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
                    "cannot make " + files.certificates() + ": " + unwritable, unwritable);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
        LOG.warn("made {}, which ends at {}; nobody vouches for it", files.certificates(), end);
    }

    private static String pem(String what, byte[] der) {
        byte[] newline = "\n".getBytes(StandardCharsets.US_ASCII);
        String text = Base64.getMimeEncoder(64, newline).encodeToString(der);
        return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }
}
