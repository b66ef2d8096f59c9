package io.brain.backend.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class JoinedCrcTest {
    private static final int[] LENGTHS = {0, 1, 2, 3, 17, 18, 255, 256, 4096, 65_537, 1_500_000};

    private final Random random = new Random(1);

    @Test
    void crcOfPiecesIsTheCrcOfTheirConcatenation() {
        CRC32C whole = new CRC32C();
        JoinedCrc joined = new JoinedCrc(crc(new byte[0]));
        for (int round = 0; round < 20; round++) {
            for (int length : LENGTHS) {
                byte[] piece = new byte[random.nextInt(length + 1)];
                random.nextBytes(piece);
                whole.update(piece);
                joined.add(crc(piece), piece.length);
                assertThat(joined.value()).isEqualTo((int) whole.getValue());
            }
        }
    }

    @Test
    void greatestLengthIsSupported() {
        // Two pieces of zeros have the same CRC as one of twice the length.
        CRC32C zeros = new CRC32C();
        byte[] block = new byte[1 << 20];
        for (int i = 0; i < 1023; i++) {
            zeros.update(block);
        }
        JoinedCrc halves = new JoinedCrc(crc(new byte[] {7}));
        halves.add((int) zeros.getValue(), 1023 << 20);
        halves.add((int) zeros.getValue(), 1023 << 20);
        JoinedCrc twice = new JoinedCrc((int) zeros.getValue());
        twice.add((int) zeros.getValue(), 1023 << 20);
        JoinedCrc once = new JoinedCrc(crc(new byte[] {7}));
        once.add(twice.value(), 2046 << 20);
        assertThat(once.value()).isEqualTo(halves.value());
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
