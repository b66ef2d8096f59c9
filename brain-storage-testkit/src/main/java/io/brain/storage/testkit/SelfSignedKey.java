package io.brain.storage.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;

/** Keys for tests of TLS, made by the JDK's keytool. */
public final class SelfSignedKey {
    private static final String PASSWORD = "secret";

    private SelfSignedKey() {}

    /** The password of the key stores. */
    public static char[] password() {
        return PASSWORD.toCharArray();
    }

    /**
     * Creates a key store with one key, for 127.0.0.1, whose certificate is its own authority.
     *
     * @param file is created
     * @param name common name of the certificate
     */
    public static KeyStore create(Path file, String name)
            throws IOException, InterruptedException, GeneralSecurityException {
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=" + name,
                                "-ext",
                                "SAN=ip:127.0.0.1",
                                "-storepass",
                                PASSWORD,
                                "-keystore",
                                file.toString())
                        .redirectErrorStream(true)
                        .start();
        keytool.getOutputStream().close();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool failed: " + output);
        }
        return KeyStore.getInstance(file.toFile(), password());
    }
}
