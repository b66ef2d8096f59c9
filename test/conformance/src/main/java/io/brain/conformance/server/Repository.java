package io.brain.conformance.server;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where this checkout lies: suites run from the module's directory or from the root. */
public final class Repository {

    private Repository() {}

    /** The checkout's root, absolute: the nearest directory upwards that holds {@code mvnw}. */
    public static Path root() {
        Path start = Path.of("").toAbsolutePath();
        for (Path at = start; at != null; at = at.getParent()) {
            if (Files.isRegularFile(at.resolve("mvnw"))) {
                return at;
            }
        }
        throw new IllegalStateException("not inside a checkout: " + start);
    }
}
