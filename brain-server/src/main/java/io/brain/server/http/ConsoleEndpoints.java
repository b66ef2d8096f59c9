package io.brain.server.http;

import com.google.gson.JsonObject;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.server.console.BadQuestionException;
import io.brain.server.console.Fact;
import io.brain.server.console.Question;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** /ui, a page for people, and /ui/data/NAME, the facts that it shows. */
public final class ConsoleEndpoints {
    private static final String PATH = "/ui";

    /** What the asking of makes no sense. */
    private static final Set<ErrorKind> ASKED_WRONG =
            Set.of(ErrorKind.COMPACTED, ErrorKind.FUTURE_REVISION);

    private static final Map<String, String> FRESH =
            Map.of("Cache-Control", "no-store", "Cross-Origin-Resource-Policy", "same-origin");

    private static final HttpAnswer STRANGE_NAME =
            HttpAnswer.error(
                    HttpAnswer.FORBIDDEN,
                    "not under this name: ask by an address or localhost, or over https, or have"
                            + " the name in --advertise-client-urls");

    private final Map<String, Fact> facts;
    private final Function<Throwable, String> words;
    private final OwnNames names;

    /** Null until somebody asks for it: few do, and a start does not wait for it. */
    private HttpAnswer page;

    /**
     * Endpoints.
     *
     * @param facts by name
     * @param names under which they are told in the clear
     * @param words what to say of a failure
     */
    public ConsoleEndpoints(
            Map<String, Fact> facts, OwnNames names, Function<Throwable, String> words) {
        this.names = names;
        this.facts = Map.copyOf(facts);
        this.words = words;
    }

    private synchronized HttpAnswer page() {
        if (page == null) {
            ConsolePage console = ConsolePage.load();
            Map<String, String> headers = new HashMap<>(FRESH);
            headers.put("Content-Security-Policy", console.policy());
            headers.put("Referrer-Policy", "no-referrer");
            page = HttpAnswer.html(console.html()).with(headers);
        }
        return page;
    }

    /** By path. */
    Map<String, Route> routes() {
        Map<String, Route> routes = new HashMap<>();
        routes.put(PATH, query -> CompletableFuture.completedFuture(page()));
        routes.put(
                PATH + "/",
                query -> CompletableFuture.completedFuture(HttpAnswer.moved("GET", PATH)));
        facts.forEach((name, fact) -> routes.put(PATH + "/data/" + name, q -> answer(fact, q)));
        routes.replaceAll((path, route) -> guarded(route));
        return routes;
    }

    /**
     * Keeps out pages of others whose name was made to lead here after a browser had loaded them:
     * to the browser they are of one origin with this server. Over TLS its certificate tells it.
     */
    private Route guarded(Route route) {
        return query ->
                query.asker().secure() || names.include(query.asker().host())
                        ? route.answer(query)
                        : CompletableFuture.completedFuture(STRANGE_NAME);
    }

    private CompletableFuture<HttpAnswer> answer(Fact fact, Route.Query query) {
        Map<String, String> parameters = new HashMap<>();
        query.parameters().forEach((name, values) -> parameters.put(name, values.get(0)));
        CompletableFuture<JsonObject> asked;
        try {
            asked = fact.ask(new Question(parameters));
        } catch (BadQuestionException wrong) {
            asked = CompletableFuture.failedFuture(wrong);
        }
        return asked.handle((told, failure) -> failure == null ? json(told) : refused(failure));
    }

    private static HttpAnswer json(JsonObject told) {
        HttpAnswer answer =
                new HttpAnswer(HttpAnswer.OK, "application/json", true, null, told + "\n");
        return answer.with(FRESH);
    }

    private HttpAnswer refused(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof BadQuestionException) {
            return HttpAnswer.error(HttpAnswer.BAD, cause.getMessage()).with(FRESH);
        }
        boolean wrong = ASKED_WRONG.contains(Failures.of(cause).kind());
        int status = wrong ? HttpAnswer.BAD : HttpAnswer.UNAVAILABLE;
        return HttpAnswer.error(status, words.apply(cause)).with(FRESH);
    }
}
