package io.brain.conformance.members;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The wall clock that a program sees, through libfaketime. Its monotonic clock goes on as it is.
 * Not for programs in Go, which ask the kernel themselves.
 */
public final class Clock {

    private static final Optional<Path> LIBRARY = library();

    private final Path offset;

    Clock(Path directory, String program) throws IOException {
        this.offset = directory.resolve(program + ".clock");
        jump(Duration.ZERO);
    }

    /** False if the machine lacks libfaketime (apt-get install libfaketime): no clock jumps. */
    public static boolean jumps() {
        return LIBRARY.isPresent();
    }

    /** Sets the clock, within a second, to the true time and this. */
    public void jump(Duration fromTrueTime) throws IOException {
        Path next = offset.resolveSibling(offset.getFileName() + ".next");
        Files.writeString(next, "%+d\n".formatted(fromTrueTime.toSeconds()));
        Files.move(next, offset, StandardCopyOption.ATOMIC_MOVE);
    }

    /** What the program's environment has to have. */
    Map<String, String> environment() {
        return LIBRARY.map(
                        library ->
                                Map.of(
                                        "LD_PRELOAD", library.toString(),
                                        "FAKETIME_TIMESTAMP_FILE", offset.toString(),
                                        "FAKETIME_CACHE_DURATION", "1",
                                        "DONT_FAKE_MONOTONIC", "1",
                                        "FAKETIME_FORCE_MONOTONIC_FIX", "0",
                                        "NO_FAKE_STAT", "1"))
                .orElse(Map.of());
    }

    private static Optional<Path> library() {
        try (Stream<Path> architectures = Files.list(Path.of("/usr/lib"))) {
            return architectures
                    .map(directory -> directory.resolve("faketime/libfaketime.so.1"))
                    .filter(Files::isReadable)
                    .findFirst();
        } catch (IOException none) {
            return Optional.empty();
        }
    }
}
