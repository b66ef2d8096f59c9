package io.brain.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.protobuf.ByteString;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.server.Eventually;
import io.brain.server.TestServer;
import io.brain.server.logging.SlowLog;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

@Timeout(60)
class CallTraceTest {
    private static final String CLIENT_TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String AGENT_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String HEADER = "00-" + CLIENT_TRACE + "-b7ad6b7169203331-01";

    @ParameterizedTest
    @CsvSource(
            value = {
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01,"
                        + " 0af7651916cd43dd8448eb211c80319c",
                "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-x,"
                        + " 0af7651916cd43dd8448eb211c80319c",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, NONE",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01, NONE",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01, NONE",
                "00-0af7-b7ad6b7169203331-01, NONE",
                ", NONE"
            },
            nullValues = "NONE")
    void theTraceIdIsParsedFromTheHeader(String header, String trace) {
        assertThat(CallTrace.parse(header)).isEqualTo(trace);
    }

    @Test
    void theSpanOfAnAgentPrecedesTheHeader() {
        Metadata headers = headers();
        CallTrace.Interceptor traces = new CallTrace.Interceptor();
        Context call = traces.newServerStreamTracer("m", headers).filterContext(Context.ROOT);
        assertThat(CallTrace.of(call).id()).isEqualTo(CLIENT_TRACE);
        call.run(() -> traces.interceptCall(null, headers, (c, md) -> null));
        assertThat(CallTrace.of(call).id()).as("without agent").isEqualTo(CLIENT_TRACE);
        SpanContext span =
                SpanContext.create(
                        AGENT_TRACE,
                        "00f067aa0ba902b7",
                        TraceFlags.getSampled(),
                        TraceState.getDefault());
        try (Scope scope = Span.wrap(span).makeCurrent()) {
            assertThat(scope).isNotNull();
            call.run(() -> traces.interceptCall(null, headers, (c, md) -> null));
        }
        assertThat(CallTrace.of(call).id()).isEqualTo(AGENT_TRACE);
        assertThat(CallTrace.of(Context.ROOT)).isNull();
    }

    @Test
    void slowCallsAreLoggedWithTraceIfEnabled() throws Exception {
        assertThat(slowLine("--enable-distributed-tracing=true"))
                .contains(" method=etcdserverpb.KV/Put code=OK trace=" + CLIENT_TRACE);
        assertThat(slowLine("--enable-distributed-tracing=false"))
                .contains("etcdserverpb.KV/Put")
                .doesNotContain("trace");
    }

    private static String slowLine(String flag) throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(SlowLog.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try (TestServer server = new TestServer(flag, "--warning-unary-request-duration=0s")) {
            KVGrpc.newBlockingStub(server.channel())
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers()))
                    .put(PutRequest.newBuilder().setKey(ByteString.copyFromUtf8("k")).build());
            Eventually.holds(() -> !lines.list.isEmpty());
            return lines.list.get(0).getFormattedMessage();
        } finally {
            logger.detachAppender(lines);
        }
    }

    private static Metadata headers() {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), HEADER);
        return headers;
    }
}
