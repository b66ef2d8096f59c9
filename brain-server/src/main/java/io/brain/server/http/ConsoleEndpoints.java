package io.brain.server.http;

import com.google.gson.JsonObject;
import io.brain.admin.console.AdminEndpoint;
import io.brain.admin.console.ConsolePage;
import io.brain.admin.console.Query;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Serves /ui, the console page, and /ui/data/NAME, the admin endpoints. */
public final class ConsoleEndpoints {
    private static final String PATH = "/ui";

    /** Errors caused by the query, answered with status 400. */
    private static final Set<ErrorKind> CLIENT_ERRORS =
            Set.of(ErrorKind.COMPACTED, ErrorKind.FUTURE_REVISION);

    private static final Map<String, String> NO_STORE =
            Map.of("Cache-Control", "no-store", "Cross-Origin-Resource-Policy", "same-origin");

    private static final HttpAnswer UNKNOWN_HOST =
            HttpAnswer.error(
                    HttpAnswer.FORBIDDEN,
                    "unknown host name: use an IP address, localhost or https, or add the name"
                            + " to --advertise-client-urls");

    private final Map<String, AdminEndpoint> endpoints;
    private final Function<Throwable, String> describe;
    private final AllowedHosts hosts;

    /** Null until the first request, so that it does not delay the start. */
    private HttpAnswer page;

    /**
     * Creates the routes of the console.
     *
     * @param endpoints by name
     * @param hosts host names allowed without TLS
     * @param describe message of a failure
     */
    public ConsoleEndpoints(
            Map<String, AdminEndpoint> endpoints,
            AllowedHosts hosts,
            Function<Throwable, String> describe) {
        this.hosts = hosts;
        this.endpoints = Map.copyOf(endpoints);
        this.describe = describe;
    }

    private synchronized HttpAnswer page() {
        if (page == null) {
            ConsolePage console = ConsolePage.load();
            Map<String, String> headers = new HashMap<>(NO_STORE);
            headers.put("Content-Security-Policy", console.policy());
            headers.put("Referrer-Policy", "no-referrer");
            page = HttpAnswer.html(console.html()).with(headers);
        }
        return page;
    }

    /** Routes by path. */
    Map<String, Route> routes() {
        Map<String, Route> routes = new HashMap<>();
        routes.put(PATH, request -> CompletableFuture.completedFuture(page()));
        routes.put(
                PATH + "/",
                request -> CompletableFuture.completedFuture(HttpAnswer.moved("GET", PATH)));
        endpoints.forEach(
                (name, endpoint) ->
                        routes.put(PATH + "/data/" + name, request -> answer(endpoint, request)));
        routes.replaceAll((path, route) -> guarded(route));
        return routes;
    }

    /**
     * Prevents DNS rebinding: a foreign page whose host name is re-pointed to this server has the
     * same origin as this server. Over TLS the certificate check prevents it.
     */
    private Route guarded(Route route) {
        return request ->
                request.secure() || hosts.include(request.host())
                        ? route.answer(request)
                        : CompletableFuture.completedFuture(UNKNOWN_HOST);
    }

    private CompletableFuture<HttpAnswer> answer(AdminEndpoint endpoint, Request request) {
        Map<String, String> parameters = new HashMap<>();
        request.target()
                .parameters()
                .forEach((name, values) -> parameters.put(name, values.get(0)));
        CompletableFuture<JsonObject> answer;
        try {
            answer = endpoint.answer(new Query(parameters));
        } catch (Query.InvalidException wrong) {
            answer = CompletableFuture.failedFuture(wrong);
        }
        return answer.handle((json, failure) -> failure == null ? json(json) : refused(failure));
    }

    private static HttpAnswer json(JsonObject json) {
        return HttpAnswer.json(json + "\n").with(NO_STORE);
    }

    private HttpAnswer refused(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof Query.InvalidException) {
            return HttpAnswer.error(HttpAnswer.BAD, cause.getMessage()).with(NO_STORE);
        }
        boolean wrong = CLIENT_ERRORS.contains(Failures.of(cause).kind());
        int status = wrong ? HttpAnswer.BAD : HttpAnswer.UNAVAILABLE;
        return HttpAnswer.error(status, describe.apply(cause)).with(NO_STORE);
    }
}
