package io.brain.transfer.backup;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import com.google.crypto.tink.subtle.AesGcmHkdfStreaming;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;

/**
 * Compresses with Zstandard and, if there is a key, encrypts with AES-256-GCM in segments of 1 MiB
 * (Tink's AES256_GCM_HKDF_1MB). The name of an object is authenticated with its content.
 * Thread-safe.
 */
public final class Seal {
    private static final int KEY_BYTES = 32;
    private static final int KEY_FILE_BYTES_MAX = 256;
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final int LEVEL = 1;

    /** Null: no encryption. */
    private final AesGcmHkdfStreaming cipher;

    private Seal(AesGcmHkdfStreaming cipher) {
        this.cipher = cipher;
    }

    /** Compression only. */
    public static Seal withoutKey() {
        return new Seal(null);
    }

    /**
     * Compression and encryption.
     *
     * @param file 32 random bytes in Base64, as {@code openssl rand -base64 32} writes them
     */
    public static Seal withKey(Path file) throws IOException {
        byte[] key;
        try {
            byte[] text =
                    Files.size(file) > KEY_FILE_BYTES_MAX ? new byte[0] : Files.readAllBytes(file);
            key = Base64.getDecoder().decode(new String(text, StandardCharsets.US_ASCII).trim());
        } catch (IllegalArgumentException malformed) {
            key = new byte[0];
        }
        if (key.length != KEY_BYTES) {
            throw new IOException(file + ": not a key, which is 32 bytes in Base64");
        }
        try {
            return new Seal(
                    new AesGcmHkdfStreaming(key, "HmacSha256", KEY_BYTES, SEGMENT_BYTES, 0));
        } catch (GeneralSecurityException impossible) { // the parameters are constants
            throw new IllegalStateException(impossible);
        }
    }

    boolean encrypts() {
        return cipher != null;
    }

    /** What is written to the result is compressed and encrypted; closing it closes {@code out}. */
    OutputStream seal(String name, OutputStream out) throws IOException {
        try {
            OutputStream sealed =
                    cipher == null ? out : cipher.newEncryptingStream(out, bytes(name));
            return new ZstdOutputStream(sealed, LEVEL).setChecksum(true);
        } catch (GeneralSecurityException failure) {
            throw new IOException("cannot encrypt: " + failure.getMessage(), failure);
        }
    }

    /**
     * Reverses {@link #seal}. The result throws an IOException if the key is another one, or the
     * object was changed.
     */
    InputStream unseal(String name, InputStream in) throws IOException {
        try {
            InputStream sealed =
                    cipher == null
                            ? in
                            : new BufferedInputStream(
                                    cipher.newDecryptingStream(in, bytes(name)), SEGMENT_BYTES);
            return new ZstdInputStream(sealed);
        } catch (GeneralSecurityException failure) {
            throw new IOException("cannot decrypt: " + failure.getMessage(), failure);
        }
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }
}
