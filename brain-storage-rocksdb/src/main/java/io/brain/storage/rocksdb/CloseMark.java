package io.brain.storage.rocksdb;

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
 * Says how far a store reached when it was closed: the number of its newest change, and a checksum.
 * With it, a log whose end is gone is told from one that a crash cut short. It is there only while
 * the store is closed in order.
 */
final class CloseMark {
    private static final Logger log = LoggerFactory.getLogger(CloseMark.class);

    private final Path file;

    CloseMark(Path root) {
        file = root.resolve("CLOSED");
    }

    /** Sets it; if that fails, there is none. */
    void set(long sequence) {
        try (FileChannel channel = FileChannel.open(file, CREATE, WRITE, TRUNCATE_EXISTING)) {
            channel.write(ByteBuffer.wrap(text(sequence).getBytes(US_ASCII)));
            channel.force(true);
        } catch (IOException e) {
            log.warn("cannot write {}: {}", file, e.toString());
            clear();
        }
    }

    /** The number that was set; empty if there is none, or it is damaged. */
    OptionalLong read() {
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
            log.warn("{} is damaged, and ignored", file);
        } catch (IOException e) {
            log.warn("cannot read {}: {}", file, e.toString());
        }
        return OptionalLong.empty();
    }

    /** The store is open again. */
    void clear() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("cannot delete {}: {}", file, e.toString());
        }
    }

    private static String text(long sequence) {
        CRC32C crc = new CRC32C();
        crc.update(Long.toString(sequence).getBytes(US_ASCII));
        return "%d %08x%n".formatted(sequence, crc.getValue());
    }
}
