package io.brain.conformance.script;

import com.google.protobuf.Message;
import io.brain.conformance.compare.Entry;
import io.brain.conformance.compare.Names;
import io.brain.conformance.compare.Transcript;
import io.brain.conformance.server.Server;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmResponse;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.CompactionResponse;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.DeleteRangeResponse;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrantResponse;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseLeasesResponse;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseRevokeResponse;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.StatusResponse;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A scenario's client of one server: every call is made, and noted with its masked answer. For one
 * thread.
 */
public final class Session implements AutoCloseable {
    private static final String BEFORE_IT_IS_KNOWN = "3.5.";
    private static final int STORAGE_VERSION_WAITS_MAX = 100;

    private final Server server;
    private final UnaryOperator<Channel> via;
    private final Transcript transcript;
    private final List<Exchange<?, ?>> exchanges = new ArrayList<>();
    private Wire wire;

    Session(Server server, UnaryOperator<Channel> via, Transcript transcript) {
        this.server = server;
        this.via = via;
        this.transcript = transcript;
        this.wire = new Wire(via.apply(server.channel()), new Names());
    }

    /** Makes a call and notes how it ended. */
    public <Q extends Message, A extends Message> Outcome<A> call(
            MethodDescriptor<Q, A> method, Q request) {
        Outcome<A> outcome = wire.call(method, request);
        transcript.add(name(method) + " { " + Entry.show(request) + "}", outcome.comparable());
        return outcome;
    }

    public Outcome<RangeResponse> range(RangeRequest.Builder request) {
        return call(KVGrpc.getRangeMethod(), request.build());
    }

    public Outcome<PutResponse> put(String key, String value) {
        return put(Requests.put(key, value));
    }

    public Outcome<PutResponse> put(PutRequest.Builder request) {
        return call(KVGrpc.getPutMethod(), request.build());
    }

    public Outcome<DeleteRangeResponse> delete(DeleteRangeRequest.Builder request) {
        return call(KVGrpc.getDeleteRangeMethod(), request.build());
    }

    public Outcome<TxnResponse> txn(Requests.Txn txn) {
        return txn(txn.build());
    }

    public Outcome<TxnResponse> txn(TxnRequest request) {
        return call(KVGrpc.getTxnMethod(), request);
    }

    public Outcome<CompactionResponse> compact(CompactionRequest.Builder request) {
        return call(KVGrpc.getCompactMethod(), request.build());
    }

    public Outcome<LeaseGrantResponse> grant(LeaseGrantRequest.Builder request) {
        return call(LeaseGrpc.getLeaseGrantMethod(), request.build());
    }

    public Outcome<LeaseRevokeResponse> revoke(long id) {
        return call(
                LeaseGrpc.getLeaseRevokeMethod(),
                LeaseRevokeRequest.newBuilder().setID(id).build());
    }

    /** Asks for a lease's remaining time and its keys. */
    public Outcome<LeaseTimeToLiveResponse> timeToLive(long id) {
        return call(
                LeaseGrpc.getLeaseTimeToLiveMethod(),
                LeaseTimeToLiveRequest.newBuilder().setID(id).setKeys(true).build());
    }

    public Outcome<LeaseLeasesResponse> leases() {
        return call(LeaseGrpc.getLeaseLeasesMethod(), LeaseLeasesRequest.getDefaultInstance());
    }

    public Outcome<AlarmResponse> alarm(AlarmAction action, AlarmType type) {
        return call(
                MaintenanceGrpc.getAlarmMethod(),
                AlarmRequest.newBuilder().setAction(action).setAlarm(type).build());
    }

    /**
     * Asks for the status. etcd writes down which version its storage has when it has heard of its
     * cluster's, up to four seconds after its first start: that is waited for.
     */
    public Outcome<StatusResponse> status() throws InterruptedException {
        StatusRequest request = StatusRequest.getDefaultInstance();
        for (int i = 0; i < STORAGE_VERSION_WAITS_MAX; i++) {
            Outcome<StatusResponse> now = wire.call(MaintenanceGrpc.getStatusMethod(), request);
            if (!(now instanceof Outcome.Answer)
                    || !now.get().getStorageVersion().startsWith(BEFORE_IT_IS_KNOWN)) {
                break;
            }
            Thread.sleep(100);
        }
        return call(MaintenanceGrpc.getStatusMethod(), request);
    }

    /** The store's present revision, noted nowhere. */
    public long revision() {
        return wire.call(KVGrpc.getRangeMethod(), Requests.get("?").build())
                .get()
                .getHeader()
                .getRevision();
    }

    /** Opens a watch stream. */
    public WatchStream watch() {
        return watch(new Metadata(), CallOptions.DEFAULT);
    }

    public WatchStream watch(Metadata metadata, CallOptions options) {
        String name = "watch#" + exchanges.size();
        return opened(new WatchStream(name, wire, metadata, options, transcript));
    }

    /** Opens a keep-alive stream. */
    public Exchange<LeaseKeepAliveRequest, LeaseKeepAliveResponse> keepAlive() {
        return keepAlive(new Metadata());
    }

    /** Opens a keep-alive stream. */
    public Exchange<LeaseKeepAliveRequest, LeaseKeepAliveResponse> keepAlive(Metadata metadata) {
        return opened(
                new Exchange<>(
                        "keepalive#" + exchanges.size(),
                        wire,
                        LeaseGrpc.getLeaseKeepAliveMethod(),
                        metadata,
                        CallOptions.DEFAULT,
                        transcript));
    }

    /** Opens any other stream. */
    public <Q extends Message, A extends Message> Exchange<Q, A> exchange(
            MethodDescriptor<Q, A> method) {
        return opened(
                new Exchange<>(
                        name(method) + "#" + exchanges.size(),
                        wire,
                        method,
                        new Metadata(),
                        CallOptions.DEFAULT,
                        transcript));
    }

    /**
     * Calls any method with any bytes, and notes how many answers came and the status.
     *
     * @param method as on the wire: "package.Service/Method"
     */
    public void raw(String method, byte[]... messages) throws InterruptedException {
        raw(CallOptions.DEFAULT, method, messages);
    }

    /** As {@link #raw(String, byte[]...)}, with options. */
    public void raw(CallOptions options, String method, byte[]... messages)
            throws InterruptedException {
        List<String> sizes = Stream.of(messages).map(m -> m.length + " bytes").toList();
        transcript.add(
                method + " " + sizes, Raw.call(wire.channel(), method, options, List.of(messages)));
    }

    /**
     * Sends a gRPC call made by hand, and notes headers, trailers and whether there was data.
     *
     * @param headers changes: "name: value" sets a header, "name" takes one away
     */
    public void http2(String path, List<String> headers, byte[] message)
            throws InterruptedException {
        transcript.add(
                "by hand " + path + " " + headers,
                Http2.call(server.port(), path, headers, message));
    }

    /** As {@link #http2}, but notes only whether it is refused: the texts are free. */
    public void http2Refusal(String path, List<String> headers, byte[] message)
            throws InterruptedException {
        String answer = Http2.call(server.port(), path, headers, message);
        transcript.add(
                "by hand " + path + " " + headers,
                answer.contains("grpc-status=0") ? "is answered" : "is refused");
    }

    /** Sends pings one after another, and notes how the server ends the connection. */
    public void pings(int count) throws InterruptedException {
        transcript.add(count + " pings", Http2.pings(server.port(), count));
    }

    /** Makes an HTTP/1.1 request and notes status, content type and body, lines sorted. */
    public void http(String method, String path) throws IOException, InterruptedException {
        transcript.add(method + " " + path, Http.request(server.http(), method, path));
    }

    /** Sends an HTTP/1 request as it stands, and notes all that comes back. */
    public void httpByHand(int port, String request) throws IOException {
        String shown = request.length() > 200 ? request.substring(0, 200) + "..." : request;
        transcript.add("by hand " + shown.strip(), HttpByHand.exchange(port, request));
    }

    /** Notes something that the scenario found out. */
    public void note(String what, Object value) {
        transcript.add(what, value instanceof Message ? value : String.valueOf(value));
    }

    /** Calls that are not noted. */
    public Wire unrecorded() {
        return wire;
    }

    public Server server() {
        return server;
    }

    /** Stops the server and starts it again. Streams are gone. */
    public void restart() throws IOException, InterruptedException {
        server.restart();
        wire = wire.afterRestart(via.apply(server.channel()));
    }

    /** Kills the server and starts it again. Streams are gone. */
    public void killAndRestart() throws IOException, InterruptedException {
        server.killAndRestart();
        wire = wire.afterRestart(via.apply(server.channel()));
    }

    @Override
    public void close() {
        exchanges.forEach(Exchange::close);
    }

    private <E extends Exchange<?, ?>> E opened(E exchange) {
        exchanges.add(exchange);
        return exchange;
    }

    private static String name(MethodDescriptor<?, ?> method) {
        return method.getBareMethodName();
    }
}
