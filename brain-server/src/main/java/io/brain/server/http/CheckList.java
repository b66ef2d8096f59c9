package io.brain.server.http;

import io.brain.server.metrics.MetricsText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Named checks that can be asked for together or one by one. */
final class CheckList {
    private static final Logger LOG = LoggerFactory.getLogger(CheckList.class);

    private final String type;
    private final Function<Throwable, String> words;
    private final Map<String, Check> checks = new LinkedHashMap<>();

    /**
     * A list of checks.
     *
     * @param type its name, and its path
     * @param checks what each does, by name; a failed future is a failed check
     * @param words what to say of a failure that is not a {@link FailedCheck}
     */
    CheckList(
            String type,
            Map<String, Supplier<CompletableFuture<?>>> checks,
            Function<Throwable, String> words) {
        this.type = type;
        this.words = words;
        checks.forEach((name, run) -> this.checks.put(name, new Check(name, run)));
    }

    /** By path. */
    Map<String, Route> routes() {
        Map<String, Route> routes = new HashMap<>();
        routes.put("/" + type, query -> run(query, allBut(query.all("exclude"))));
        checks.forEach(
                (name, check) ->
                        routes.put("/" + type + "/" + name, query -> run(query, List.of(check))));
        return routes;
    }

    void writeResults(MetricsText text) {
        checks.forEach(
                (name, check) -> text.value(check.succeeding ? 1 : 0, "type", type, "name", name));
    }

    void writeTotals(MetricsText text) {
        checks.forEach(
                (name, check) -> {
                    long good = check.succeeded.sum();
                    long bad = check.failed.sum();
                    text.value(good, "type", type, "name", name, "status", "success");
                    text.value(bad, "type", type, "name", name, "status", "error");
                });
    }

    private List<Check> allBut(Set<String> excluded) {
        if (!checks.keySet().containsAll(excluded)) {
            LOG.warn("some health checks cannot be excluded: {}", excluded);
        }
        List<Check> included = new ArrayList<>();
        checks.forEach(
                (name, check) -> {
                    if (!excluded.contains(name)) {
                        included.add(check);
                    }
                });
        return included;
    }

    private CompletableFuture<HttpAnswer> run(Route.Query query, List<Check> asked) {
        List<CompletableFuture<String>> failures = asked.stream().map(this::failure).toList();
        return CompletableFuture.allOf(failures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> answer(query, asked, failures));
    }

    private HttpAnswer answer(
            Route.Query query, List<Check> asked, List<CompletableFuture<String>> failures) {
        StringBuilder lines = new StringBuilder();
        boolean failed = false;
        for (int i = 0; i < asked.size(); i++) {
            String failure = failures.get(i).join();
            failed |= !failure.isEmpty();
            lines.append(failure.isEmpty() ? "[+]" : "[-]").append(asked.get(i).name);
            lines.append(failure.isEmpty() ? " ok" : " failed: ").append(failure).append('\n');
        }
        if (failed) {
            LOG.error("health check failed: /{}: {}", type, lines);
            return HttpAnswer.error(HttpAnswer.UNAVAILABLE, lines.toString());
        }
        return HttpAnswer.text(query.has("verbose") ? lines + "ok\n" : "ok\n");
    }

    /** Runs a check; empty if it succeeded, else why not. */
    private CompletableFuture<String> failure(Check check) {
        return check.run
                .get()
                .handle(
                        (done, failure) -> {
                            check.succeeding = failure == null;
                            (failure == null ? check.succeeded : check.failed).increment();
                            return failure == null ? "" : reason(failure, words);
                        });
    }

    /** Why a check failed, in its own words or in {@code words}. */
    static String reason(Throwable failure, Function<Throwable, String> words) {
        return failure instanceof FailedCheck check ? check.getMessage() : words.apply(failure);
    }

    /** A check's own reason to fail. */
    static final class FailedCheck extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FailedCheck(String reason) {
            super(reason, null, false, false);
        }
    }

    /** One check and how it went. */
    private static final class Check {
        private final String name;
        private final Supplier<CompletableFuture<?>> run;
        private final LongAdder succeeded = new LongAdder();
        private final LongAdder failed = new LongAdder();
        private volatile boolean succeeding;

        Check(String name, Supplier<CompletableFuture<?>> run) {
            this.name = name;
            this.run = run;
        }
    }
}
