package io.brain.server.http;

import io.brain.server.tls.CommonName;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLSession;

/**
 * The head of an HTTP request.
 *
 * @param version protocol version of the answer
 * @param method in upper case
 * @param target null if the request has no path
 * @param host value of the Host header; null if absent
 * @param secure whether over TLS, so that the client has verified the host
 * @param commonName of the client certificate; null without one, empty if it has none
 * @param keepAlive whether the connection may be reused
 * @param awaitsContinue whether the client sends the body only after 100 Continue
 * @param headers names and values as received; they may contain secrets
 * @param refusal status line of a rejected request; null if it is valid
 */
public record Request(
        HttpVersion version,
        String method,
        Target target,
        String host,
        boolean secure,
        String commonName,
        boolean keepAlive,
        boolean awaitsContinue,
        List<Map.Entry<String, String>> headers,
        String refusal) {
    /** Validates nothing; {@link #of} does. */
    public Request {
        headers = List.copyOf(headers);
    }

    private static final String BAD = "400 Bad Request";
    private static final String BAD_VERSION =
            "505 HTTP Version Not Supported: unsupported protocol version";

    /**
     * Validates a head.
     *
     * @param tls session of the connection; null without TLS
     */
    static Request of(HttpRequest head, SSLSession tls) {
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
        List<String> codings = head.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (!codings.isEmpty()
                && !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(only(codings))) {
            return refused("501 Not Implemented: Unsupported transfer encoding");
        }
        List<String> expected = head.headers().getAll(HttpHeaderNames.EXPECT);
        if (!expected.isEmpty()
                && !HttpHeaderValues.CONTINUE.contentEqualsIgnoreCase(only(expected))) {
            return refused("417 Expectation Failed");
        }
        String method = head.method().name();
        boolean pathless = method.equals("CONNECT") || head.uri().equals("*");
        try {
            Target target = pathless ? null : Target.parse(head.uri());
            String host = hosts.isEmpty() ? null : hosts.get(0);
            return new Request(
                    answered(head.protocolVersion()),
                    method,
                    target,
                    host,
                    tls != null,
                    tls == null ? null : CommonName.of(tls),
                    HttpUtil.isKeepAlive(head),
                    HttpUtil.is100ContinueExpected(head),
                    head.headers().entries(),
                    null);
        } catch (IllegalArgumentException broken) {
            return refused(BAD);
        }
    }

    /** The version of the answer to a request of version 1. */
    private static HttpVersion answered(HttpVersion asked) {
        return asked.minorVersion() == 0 ? HttpVersion.HTTP_1_0 : HttpVersion.HTTP_1_1;
    }

    /** The only value; empty if there are several. */
    private static String only(List<String> values) {
        return values.size() == 1 ? values.get(0) : "";
    }

    private static Request refused(String why) {
        return new Request(
                HttpVersion.HTTP_1_1, "", null, null, false, null, false, false, List.of(), why);
    }

    /** The first value of a header; null if it is absent. */
    String header(String name) {
        for (Map.Entry<String, String> header : headers) {
            if (header.getKey().equalsIgnoreCase(name)) {
                return header.getValue();
            }
        }
        return null;
    }

    /** Without the headers. */
    @Override
    public String toString() {
        return method + " " + target;
    }

    /** True if the query has a parameter. */
    boolean has(String name) {
        return target.parameters().containsKey(name);
    }

    /** True if the first value of {@code name} is {@code value}. */
    boolean is(String name, String value) {
        return has(name) && target.parameters().get(name).get(0).equals(value);
    }

    /** All non-empty values of {@code name}. */
    Set<String> all(String name) {
        Set<String> values = new TreeSet<>(target.parameters().getOrDefault(name, List.of()));
        values.remove("");
        return values;
    }
}
