package io.brain.server.process;

import io.brain.backend.model.TtlRules;
import io.brain.backend.runtime.BackendRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Rules of expiry in a file, which is checked every second; invalid changes are logged and ignored.
 */
public final class TtlRulesFile implements Supplier<TtlRules> {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final ReloadedFiles<TtlRules> file;
    private final BackendRuntime runtime;
    private volatile TtlRules current;

    private TtlRulesFile(Path path, BackendRuntime runtime) throws IOException {
        this.runtime = runtime;
        file =
                new ReloadedFiles<>(
                        List.of(path),
                        TtlRules.NONE,
                        contents -> TtlRules.parse(text(contents.get(0))));
        current = file.get();
    }

    /**
     * Reads the rules.
     *
     * @param path null: there are none
     * @param runtime checks the file until it is closed
     * @throws ServerException if the file cannot be read or is invalid
     */
    public static Supplier<TtlRules> open(Path path, BackendRuntime runtime)
            throws ServerException {
        if (path == null) {
            return () -> TtlRules.NONE;
        }
        try {
            TtlRulesFile rules = new TtlRulesFile(path, runtime);
            rules.checkLater();
            return rules;
        } catch (IOException unusable) {
            throw new ServerException(unusable.getMessage(), unusable);
        }
    }

    /** A byte that is replaced would make a rule that matches no key. */
    private static String text(byte[] content) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
        } catch (CharacterCodingException malformed) {
            throw new IllegalArgumentException("not UTF-8", malformed);
        }
    }

    /** The rules of the last valid content. Any thread; does not block. */
    @Override
    public TtlRules get() {
        return current;
    }

    private void checkLater() {
        runtime.scheduler()
                .schedule(
                        INTERVAL,
                        runtime.background(),
                        () -> {
                            current = file.get();
                            checkLater();
                        });
    }
}
