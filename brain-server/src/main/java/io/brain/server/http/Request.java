package io.brain.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;

/**
 * The head of a request.
 *
 * @param version the protocol's
 * @param method in capitals
 * @param target null if it asks for nothing that has a path
 * @param host what the client calls the server; null if it does not say
 * @param keepAlive whether the connection may serve another request
 * @param refusal why it is refused, with HTTP's number; null if it is not
 */
record Request(
        HttpVersion version,
        String method,
        Target target,
        String host,
        boolean keepAlive,
        String refusal) {
    private static final String BAD = "400 Bad Request";
    private static final String BAD_VERSION =
            "505 HTTP Version Not Supported: unsupported protocol version";

    /** Reads a head, or why it cannot be. */
    static Request of(HttpRequest head) {
        List<String> hosts = head.headers().getAll(HttpHeaderNames.HOST);
        if (head.decoderResult().isFailure()) {
            return refused(BAD);
        }
        if (head.protocolVersion().majorVersion() != 1) {
            return refused(BAD_VERSION);
        }
        if (hosts.isEmpty() && head.protocolVersion().minorVersion() > 0) {
            return refused(BAD + ": missing required Host header");
        }
        if (hosts.size() > 1) {
            return refused(BAD);
        }
        String method = head.method().name();
        boolean pathless = method.equals("CONNECT") || head.uri().equals("*");
        // Nobody waits for a body here, so one that waits to be sent is never asked for.
        boolean keepAlive = HttpUtil.isKeepAlive(head) && !HttpUtil.is100ContinueExpected(head);
        try {
            Target target = pathless ? null : Target.parse(head.uri());
            String host = hosts.isEmpty() ? null : hosts.get(0);
            return new Request(head.protocolVersion(), method, target, host, keepAlive, null);
        } catch (IllegalArgumentException broken) {
            return refused(BAD);
        }
    }

    private static Request refused(String why) {
        return new Request(HttpVersion.HTTP_1_1, "", null, null, false, why);
    }
}
