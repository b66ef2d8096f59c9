package io.brain.server;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The files of the repository that people read: documents and sources. */
final class Documents {
    /** Root of the repository; Surefire runs in the module's directory. */
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** Directories without files of the repository. */
    private static final Set<String> SKIPPED = Set.of("target", ".git", ".idea", "bed");

    private Documents() {}

    /** All Markdown pages. */
    static List<Path> pages() throws IOException {
        return files("md");
    }

    /** All files with one of the extensions, in order of their paths. */
    static List<Path> files(String... extensions) throws IOException {
        List<String> wanted = List.of(extensions);
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(
                ROOT,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes about) {
                        return SKIPPED.contains(path.getFileName().toString())
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path path, BasicFileAttributes about) {
                        String name = path.getFileName().toString();
                        if (wanted.contains(name.substring(name.lastIndexOf('.') + 1))) {
                            files.add(path);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        files.sort(null);
        return files;
    }
}
