package io.brain.conformance.members;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Tells whose connection a relay accepted: on loopback all have the same address, but the kernel
 * knows which process holds the other end.
 */
final class SocketOwner {

    private static final int STATE_COLUMN = 3;
    private static final int INODE_COLUMN = 9;
    private static final String ESTABLISHED = "01";

    private SocketOwner() {}

    /** The program whose process holds the socket with this local port on loopback. */
    static Optional<Program> of(int port, Collection<Program> programs) {
        String socket = "socket:[" + inode(port).orElse("") + "]";
        return programs.stream().filter(program -> holds(program.pid(), socket)).findFirst();
    }

    private static Optional<String> inode(int port) {
        String wanted = String.format(Locale.ROOT, ":%04X", port);
        return inode(Path.of("/proc/net/tcp"), wanted)
                .or(() -> inode(Path.of("/proc/net/tcp6"), wanted));
    }

    private static Optional<String> inode(Path table, String port) {
        try (Stream<String> lines = Files.lines(table)) {
            return lines.map(line -> line.trim().split("\\s+"))
                    .filter(words -> words.length > INODE_COLUMN)
                    .filter(words -> words[1].endsWith(port))
                    .filter(words -> words[STATE_COLUMN].equals(ESTABLISHED))
                    .map(words -> words[INODE_COLUMN])
                    .findFirst();
        } catch (IOException noSuchTable) {
            return Optional.empty();
        }
    }

    private static boolean holds(long pid, String socket) {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return files.anyMatch(file -> pointsTo(file, socket));
        } catch (IOException ended) {
            return false;
        }
    }

    private static boolean pointsTo(Path file, String socket) {
        try {
            return Files.readSymbolicLink(file).toString().equals(socket);
        } catch (IOException closed) {
            return false;
        }
    }
}
