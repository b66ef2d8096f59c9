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

/** Named health checks, run together or one by one. */
final class CheckList {
    private static final Logger LOG = LoggerFactory.getLogger(CheckList.class);

    private final String type;
    private final Function<Throwable, String> describe;
    private final Map<String, Check> checks = new LinkedHashMap<>();

    /**
     * Creates a list of checks.
     *
     * @param type name and path of the list
     * @param checks by name; a check fails if its future fails
     * @param describe message of a failure other than {@link FailedCheck}
     */
    CheckList(
            String type,
            Map<String, Supplier<CompletableFuture<?>>> checks,
            Function<Throwable, String> describe) {
        this.type = type;
        this.describe = describe;
        checks.forEach((name, run) -> this.checks.put(name, new Check(name, run)));
    }

    /** Routes by path. */
    Map<String, Route> routes() {
        Map<String, Route> routes = new HashMap<>();
        routes.put("/" + type, request -> run(request, allBut(request.all("exclude"))));
        checks.forEach(
                (name, check) ->
                        routes.put(
                                "/" + type + "/" + name, request -> run(request, List.of(check))));
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
            LOG.warn("unknown health checks excluded: {}", excluded);
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

    private CompletableFuture<HttpAnswer> run(Request request, List<Check> selected) {
        List<CompletableFuture<String>> failures = selected.stream().map(this::failure).toList();
        return CompletableFuture.allOf(failures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> answer(request, selected, failures));
    }

    private HttpAnswer answer(
            Request request, List<Check> selected, List<CompletableFuture<String>> failures) {
        StringBuilder lines = new StringBuilder();
        boolean failed = false;
        for (int i = 0; i < selected.size(); i++) {
            String failure = failures.get(i).join();
            failed |= !failure.isEmpty();
            lines.append(failure.isEmpty() ? "[+]" : "[-]").append(selected.get(i).name);
            lines.append(failure.isEmpty() ? " ok" : " failed: ").append(failure).append('\n');
        }
        if (failed) {
            LOG.error("health check failed: /{}: {}", type, lines);
            return HttpAnswer.error(HttpAnswer.UNAVAILABLE, lines.toString());
        }
        return HttpAnswer.text(request.has("verbose") ? lines + "ok\n" : "ok\n");
    }

    /** Runs a check; returns the reason of the failure, empty on success. */
    private CompletableFuture<String> failure(Check check) {
        return check.run
                .get()
                .handle(
                        (done, failure) -> {
                            check.succeeding = failure == null;
                            (failure == null ? check.succeeded : check.failed).increment();
                            return failure == null ? "" : reason(failure, describe);
                        });
    }

    /** Reason of a failure, from the check itself or from {@code describe}. */
    static String reason(Throwable failure, Function<Throwable, String> describe) {
        return failure instanceof FailedCheck check ? check.getMessage() : describe.apply(failure);
    }

    /** A check failed for the reason in the message. */
    static final class FailedCheck extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FailedCheck(String reason) {
            super(reason, null, false, false);
        }
    }

    /** A check and its results. */
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
