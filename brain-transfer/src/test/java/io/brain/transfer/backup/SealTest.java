package io.brain.transfer.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SealTest {
    private static final byte[] TEXT = new byte[5 << 20];

    @TempDir Path directory;
    private Seal seal;

    @BeforeEach
    void createKey() throws IOException {
        new Random(1).nextBytes(TEXT);
        seal = Seal.withKey(key("key", 1));
    }

    @Test
    void unsealedIsWhatWasSealed() throws IOException {
        for (Seal each : new Seal[] {seal, Seal.withoutKey()}) {
            assertThat(unseal(each, "a", seal(each, "a", TEXT))).isEqualTo(TEXT);
            assertThat(unseal(each, "a", seal(each, "a", new byte[0]))).isEmpty();
        }
    }

    @Test
    void repeatedContentIsCompressed() throws IOException {
        assertThat(seal(seal, "a", new byte[1 << 20]).length).isLessThan(2048);
    }

    @Test
    void anotherKeyNameOrByteIsRefused() throws IOException {
        byte[] sealed = seal(seal, "a", TEXT);
        Seal other = Seal.withKey(key("other", 2));
        assertThatThrownBy(() -> unseal(other, "a", sealed)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> unseal(seal, "b", sealed)).isInstanceOf(IOException.class);
        for (int at : new int[] {0, 50, sealed.length / 2, sealed.length - 1}) {
            byte[] changed = sealed.clone();
            changed[at] ^= 1;
            assertThatThrownBy(() -> unseal(seal, "a", changed)).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> unseal(seal, "a", Arrays.copyOf(sealed, sealed.length - 100)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void compressedContentThatWasChangedOrCutIsRefused() throws IOException {
        Seal plain = Seal.withoutKey();
        byte[] sealed = seal(plain, "a", TEXT);
        byte[] changed = sealed.clone();
        changed[sealed.length / 2] ^= 1;
        assertThatThrownBy(() -> unseal(plain, "a", changed)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> unseal(plain, "a", Arrays.copyOf(sealed, sealed.length / 2)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aFileThatIsNoKeyIsRefused() throws IOException {
        for (String text : new String[] {"", "short", "not base 64 !", "A".repeat(1000)}) {
            Path file = Files.writeString(directory.resolve("bad"), text);
            assertThatThrownBy(() -> Seal.withKey(file))
                    .isInstanceOf(IOException.class)
                    .hasMessage(file + ": not a key, which is 32 bytes in Base64");
        }
    }

    private Path key(String name, int seed) throws IOException {
        byte[] key = new byte[32];
        new Random(seed).nextBytes(key);
        String text = Base64.getEncoder().encodeToString(key) + "\n";
        return Files.writeString(directory.resolve(name), text);
    }

    private static byte[] seal(Seal seal, String name, byte[] text) throws IOException {
        ByteArrayOutputStream sealed = new ByteArrayOutputStream();
        try (OutputStream out = seal.seal(name, sealed)) {
            out.write(text);
        }
        return sealed.toByteArray();
    }

    private static byte[] unseal(Seal seal, String name, byte[] sealed) throws IOException {
        try (InputStream in = seal.unseal(name, new ByteArrayInputStream(sealed))) {
            return in.readAllBytes();
        }
    }
}
