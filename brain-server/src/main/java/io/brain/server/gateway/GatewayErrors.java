package io.brain.server.gateway;

import io.brain.server.gateway.JsonText.Escapes;
import io.grpc.Status;
import java.util.HashMap;
import java.util.Map;

/** Statuses of calls as HTTP. The bodies also have the fields that clients of etcd 3.5 read. */
final class GatewayErrors {
    static final Map<String, String> JSON = Map.of("Content-Type", "application/json");
    private static final int CLIENT_CLOSED = 499;

    private GatewayErrors() {}

    /** The HTTP status code. */
    static int code(Status status) {
        return switch (status.getCode()) {
            case OK -> 200;
            case INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE -> 400;
            case UNAUTHENTICATED -> 401;
            case PERMISSION_DENIED -> 403;
            case NOT_FOUND -> 404;
            case ALREADY_EXISTS, ABORTED -> 409;
            case RESOURCE_EXHAUSTED -> 429;
            case CANCELLED -> CLIENT_CLOSED;
            case UNKNOWN, INTERNAL, DATA_LOSS -> 500;
            case UNIMPLEMENTED -> 501;
            case UNAVAILABLE -> 503;
            case DEADLINE_EXCEEDED -> 504;
        };
    }

    /** The headers of an error. */
    static Map<String, String> headers(Status status) {
        String text = message(status);
        if (status.getCode() != Status.Code.UNAUTHENTICATED || !text.matches("[ -~]*")) {
            return JSON;
        }
        Map<String, String> headers = new HashMap<>(JSON);
        headers.put("WWW-Authenticate", text);
        return headers;
    }

    /** The body of an error. */
    static JsonText body(Status status) {
        JsonText body = new JsonText();
        body.ascii("{");
        status(body, status, Escapes.JSON);
        if (!message(status).isEmpty()) {
            body.ascii(",\"error\":");
            body.string(message(status), Escapes.JSON);
        }
        body.ascii("}");
        return body;
    }

    /** The line of an error in a stream. */
    static JsonText line(Status status) {
        JsonText line = new JsonText();
        line.ascii("{\"error\":{");
        status(line, status, Escapes.HTML);
        line.ascii(
                ",\"grpc_code\":"
                        + status.getCode().value()
                        + ",\"http_code\":"
                        + code(status)
                        + "}}\n");
        return line;
    }

    private static void status(JsonText text, Status status, Escapes escapes) {
        text.ascii("\"code\":" + status.getCode().value());
        if (!message(status).isEmpty()) {
            text.ascii(",\"message\":");
            text.string(message(status), escapes);
        }
    }

    private static String message(Status status) {
        return status.getDescription() == null ? "" : status.getDescription();
    }
}
