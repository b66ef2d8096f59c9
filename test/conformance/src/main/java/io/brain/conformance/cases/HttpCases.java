package io.brain.conformance.cases;

import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmType;
import java.io.IOException;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/** Plain HTTP, header by header: paths, methods, queries, and requests that are none. */
final class HttpCases {
    private static final List<String> METHODS =
            List.of("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "FOO");
    private static final List<String> PATHS =
            List.of(
                    "/health",
                    "/livez",
                    "/readyz",
                    "/livez/serializable_read",
                    "/livez/linearizable_read",
                    "/readyz/data_corruption",
                    "/readyz/serializable_read",
                    "/readyz/linearizable_read",
                    "/readyz/non_learner",
                    "/readyz/nothing",
                    "/version",
                    "/metrics",
                    "/",
                    "/nothing",
                    "/v2/keys",
                    "/debug/pprof/",
                    "/debug/requests",
                    "/members",
                    "/health/",
                    "/readyz/",
                    "/metrics/",
                    "//health",
                    "/./health",
                    "/x/../health?serializable=true&b=c",
                    "/a//b/",
                    "/..",
                    "/%68ealth",
                    "/health%2f",
                    "/livez%2fserializable_read",
                    "/v3%2fkv/range",
                    "/v3?a=b",
                    "/x/../v3?a=b",
                    "/health;a",
                    "/health+",
                    "/HEALTH");
    private static final List<String> CHECKS =
            List.of(
                    "",
                    "?verbose",
                    "?verbose=",
                    "?verbose=false",
                    "?verbose&verbose",
                    "?VERBOSE",
                    "?verbose;x",
                    "?verbose&exclude=serializable_read",
                    "?verbose&exclude=linearizable_read&exclude=linearizable_read",
                    "?verbose&exclude=data_corruption",
                    "?verbose&exclude=nothing",
                    "?verbose&exclude=",
                    "?verbose&exclude=%zz",
                    "?exclude=data_corruption",
                    "?verbose&exclude=data_corruption&exclude=serializable_read"
                            + "&exclude=linearizable_read&exclude=non_learner",
                    "/serializable_read?verbose",
                    "/serializable_read?verbose&exclude=serializable_read",
                    "/data_corruption?verbose",
                    "/data_corruption");
    private static final List<String> HEALTH =
            List.of(
                    "",
                    "?serializable=true",
                    "?serializable=false",
                    "?serializable",
                    "?serializable=TRUE",
                    "?serializable=1",
                    "?serializable=false&serializable=true",
                    "?exclude=NOSPACE",
                    "?exclude=CORRUPT",
                    "?exclude=nospace",
                    "?exclude=nothing",
                    "?exclude=",
                    "?exclude",
                    "?exclude=NOSPACE,CORRUPT",
                    "?exclude=NOSPACE&exclude=CORRUPT",
                    "?exclude=%4eOSPACE&exclude=%zz",
                    "?a;b&exclude=NOSPACE",
                    "?serializable=true&exclude=NOSPACE",
                    "?verbose");

    private static final String CHUNKED =
            "POST /readyz HTTP/1.1|Host: a|Transfer-Encoding: chunked|";

    private static final String EXPECTS =
            "POST /health HTTP/1.1|Host: a|Content-Length: 3|Expect: 100-continue|";

    /** Requests as they are typed; | ends a line. */
    private static final List<String> ODD =
            List.of(
                    "GET /health HTTP/1.0||",
                    "GET /health HTTP/1.0|Connection: keep-alive||",
                    "GET /health HTTP/1.1||",
                    "GET /health HTTP/1.2|Host: a|Connection: close||",
                    "GET /health HTTP/1.1|Host: a|Host: b||",
                    "GET /health HTTP/1.1\nHost: a\nConnection: close\n\n",
                    "GET /health HTTP/1.1|Host: a|Origin: http://b|Connection: close||",
                    "GET http://x/livez HTTP/1.1|Host: a|Connection: close||",
                    "GET http://x HTTP/1.1|Host: a|Connection: close||",
                    "GET health HTTP/1.1|Host: a||",
                    "GET /%zz HTTP/1.1|Host: a||",
                    "OPTIONS * HTTP/1.1|Host: a|Connection: close||",
                    "CONNECT a:1 HTTP/1.1|Host: a|Connection: close||",
                    "POST /health HTTP/1.1|Host: a|Content-Length: 3|Connection: close||abc",
                    CHUNKED + "Connection: close||3|abc|0||",
                    EXPECTS + "Connection: close||",
                    "POST /health HTTP/1.1|Host: a|Content-Length: abc||",
                    "GET /health HTTP/1.0|Long: " + "a".repeat(60_000) + "||");

    /** What etcd answers only where it does not look for gRPC first. */
    private static final List<String> ODD_ON_METRICS =
            List.of(
                    "hello||",
                    "GET /health HTTP/3.0|Host: a||",
                    "GET /health HTTX/1.1|Host: a||",
                    "GET /health?" + "a".repeat(30_000) + " HTTP/1.0||");

    private HttpCases() {}

    static List<Scenario> scenarios() {
        return List.of(
                scenario(
                        320,
                        "every path and method, header by header",
                        s -> everyPath(s, session -> session.server().port())),
                scenario(
                                321,
                                "every path and method on the listener for metrics",
                                s -> {
                                    ToIntFunction<Session> port =
                                            session -> session.server().metricsPort();
                                    everyPath(s, port);
                                    everyQuery(s, port);
                                    typed(s, port, ODD);
                                    typed(s, port, ODD_ON_METRICS);
                                })
                        .onFreshServer(),
                scenario(
                        322,
                        "every query of the health checks, with and without alarms",
                        s -> {
                            ToIntFunction<Session> port = session -> session.server().port();
                            everyQuery(s, port);
                            s.alarm(AlarmAction.ACTIVATE, AlarmType.NOSPACE);
                            everyQuery(s, port);
                            s.alarm(AlarmAction.DEACTIVATE, AlarmType.NOSPACE);
                            s.alarm(AlarmAction.ACTIVATE, AlarmType.CORRUPT);
                            everyQuery(s, port);
                            s.alarm(AlarmAction.DEACTIVATE, AlarmType.CORRUPT);
                            everyQuery(s, port);
                        }),
                scenario(
                        323,
                        "requests in other forms, and such as are none",
                        s -> typed(s, session -> session.server().port(), ODD)));
    }

    private static void everyPath(Session s, ToIntFunction<Session> port) throws IOException {
        for (String path : PATHS) {
            for (String method : METHODS) {
                s.httpByHand(port.applyAsInt(s), request(method, path));
            }
        }
    }

    private static void everyQuery(Session s, ToIntFunction<Session> port) throws IOException {
        List<String> paths =
                Stream.of(
                                HEALTH.stream().map(query -> "/health" + query),
                                CHECKS.stream().map(query -> "/livez" + query),
                                CHECKS.stream().map(query -> "/readyz" + query))
                        .flatMap(all -> all)
                        .toList();
        for (String path : paths) {
            s.httpByHand(port.applyAsInt(s), request("GET", path));
        }
    }

    private static void typed(Session s, ToIntFunction<Session> port, List<String> requests)
            throws IOException {
        for (String request : requests) {
            s.httpByHand(port.applyAsInt(s), request.replace("|", "\r\n"));
        }
    }

    private static String request(String method, String path) {
        String line = method + " " + path + " HTTP/1.1";
        return String.join("\r\n", line, "Host: a", "Connection: close", "", "");
    }
}
