package io.brain.storage.rocksdb.recovery;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file with the last sequence number and a checksum, present only after a clean shutdown. It
 * distinguishes a log that lost its end from one that a crash truncated.
 */
public final class CloseMark {
    private static final Logger log = LoggerFactory.getLogger(CloseMark.class);

    private final Path file;

    public CloseMark(Path root) {
        file = root.resolve("CLOSED");
    }

    /** Writes the mark; deletes it if that fails. */
    public void set(long sequence) {
        try (FileChannel channel = FileChannel.open(file, CREATE, WRITE, TRUNCATE_EXISTING)) {
            channel.write(ByteBuffer.wrap(text(sequence).getBytes(US_ASCII)));
            channel.force(true);
        } catch (IOException e) {
            log.warn("failed to write close mark path={} error={}", file, e.toString());
            clear();
        }
    }

    /** The sequence number; empty if the mark is missing or damaged. */
    public OptionalLong read() {
        if (!Files.exists(file)) {
            return OptionalLong.empty();
        }
        try {
            String found = Files.readString(file, US_ASCII);
            String digits = found.replaceFirst(" .*\\s*$", "");
            if (digits.matches("[0-9]{1,18}")) {
                long sequence = Long.parseLong(digits);
                if (text(sequence).equals(found)) {
                    return OptionalLong.of(sequence);
                }
            }
            log.warn("close mark damaged, ignored path={}", file);
        } catch (IOException e) {
            log.warn("failed to read close mark path={} error={}", file, e.toString());
        }
        return OptionalLong.empty();
    }

    /** Deletes the mark when the store is opened. */
    public void clear() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("failed to delete close mark path={} error={}", file, e.toString());
        }
    }

    private static String text(long sequence) {
        CRC32C crc = new CRC32C();
        crc.update(Long.toString(sequence).getBytes(US_ASCII));
        return "%d %08x%n".formatted(sequence, crc.getValue());
    }
}
