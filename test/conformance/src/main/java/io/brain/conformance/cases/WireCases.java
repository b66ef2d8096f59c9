package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.large;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.watch;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Requests.Txn;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.health.HealthCheckRequest;
import io.brain.proto.health.HealthGrpc;
import io.brain.proto.health.HealthListRequest;
import io.grpc.CallOptions;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** What is not in the services: unknown methods, broken messages, health, plain HTTP. */
final class WireCases {

    private static final String RANGE = "etcdserverpb.KV/Range";
    private static final String PUT = "etcdserverpb.KV/Put";
    private static final String TXN = "etcdserverpb.KV/Txn";
    private static final String WATCH = "etcdserverpb.Watch/Watch";
    private static final String AUTHENTICATE = "etcdserverpb.Auth/Authenticate";
    private static final byte[] NOTHING = {};

    private WireCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(services(), messages(), byHand(), http()).flatMap(List::stream).toList();
    }

    private static List<Scenario> services() {
        return List.of(
                scenario(
                        110,
                        "unknown methods and services, no reflection, health by name",
                        s -> {
                            s.raw("etcdserverpb.KV/Nothing", NOTHING);
                            s.raw("etcdserverpb.Nothing/Range", NOTHING);
                            s.raw("Nothing/Nothing", NOTHING);
                            s.raw("/", NOTHING);
                            s.raw("Nothing", NOTHING);
                            s.raw("etcdserverpb.KV/", NOTHING);
                            s.raw("a/b/c", NOTHING);
                            s.raw("grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
                            s.raw("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo");
                            health(s, "");
                            health(s, "x");
                            health(s, "etcdserverpb.KV");
                            s.call(
                                    HealthGrpc.getListMethod(),
                                    HealthListRequest.getDefaultInstance());
                            for (String service : List.of("", "x")) {
                                var watch = s.exchange(HealthGrpc.getWatchMethod());
                                watch.send(
                                        HealthCheckRequest.newBuilder()
                                                .setService(service)
                                                .build());
                                watch.halfClose();
                                watch.expect(1);
                                watch.expectNothing();
                            }
                        }),
                scenario(
                        252,
                        "too few and too many messages, and a compression",
                        s -> {
                            byte[] range = get("a").build().toByteArray();
                            s.raw(RANGE);
                            s.raw(RANGE, range, range);
                            s.raw(WATCH);
                            s.raw("etcdserverpb.Lease/LeaseKeepAlive");
                            s.raw("etcdserverpb.Maintenance/Status", NOTHING);
                            s.raw(CallOptions.DEFAULT.withCompression("gzip"), RANGE, range);
                        }));
    }

    private static List<Scenario> messages() {
        return List.of(
                scenario(
                        253,
                        "broken messages are refused",
                        s -> {
                            for (String broken :
                                    List.of(
                                            "0a", // no length
                                            "0a05", // fewer bytes than the length says
                                            "0a0561", // likewise
                                            "0b", // a group's start
                                            "0c", // a group's end
                                            "00", // field number 0
                                            "0f", // wire type 7
                                            "18ffffffffffffffffffff01", // number of 11 bytes
                                            "0affffffffffffffffff01", // negative length
                                            "0affffffff07", // 2 GiB
                                            "ffffffffff")) { // an endless tag
                                s.raw(RANGE, hex(broken));
                                s.raw(PUT, hex("0a0161" + broken));
                                s.raw(WATCH, hex(broken));
                            }
                            s.raw(TXN, hex("12020a05"));
                            s.raw(TXN, hex("1204120212ff"));
                            s.raw(AUTHENTICATE, hex("0a02c328"));
                            s.raw(AUTHENTICATE, hex("0a03eda080"));
                            s.range(get("a"));
                        }),
                scenario(
                        254,
                        "unknown fields, other wire types and repeated fields are no matter",
                        s -> {
                            s.put("a", "1");
                            s.put("b", "2");
                            s.raw(RANGE, hex("0a0161" + "fa3f03616263"));
                            s.raw(RANGE, hex("0a0161" + "9006cd9b01"));
                            s.raw(RANGE, hex("0801" + "0a0161"));
                            s.raw(RANGE, hex("0a0161" + "0a00"));
                            s.raw(RANGE, hex("0a0161" + "2801" + "28808080808080808080" + "01"));
                            s.raw(RANGE, hex("0a0161" + "13" + "14"));
                            s.raw(PUT, hex("0a0161" + "120178" + "120179"));
                            s.range(get("a"));
                            s.raw(TXN, hex("1207" + "0a05" + "0a0161" + "1800"));
                            s.raw(TXN, hex("120a" + "0a03" + "0a0161" + "1203" + "0a0162"));
                            s.range(get("b"));
                        }),
                scenario(
                        255,
                        "transactions may be nested deeply",
                        s -> {
                            for (int depth : new int[] {10, 45, 60, 100, 127, 128, 200, 600}) {
                                Txn nested = txn(put("depth", "" + depth));
                                for (int i = 1; i < depth; i++) {
                                    nested = txn(nested.nested());
                                }
                                s.raw(TXN, nested.build().toByteArray());
                                s.range(get("depth"));
                            }
                        }),
                scenario(
                        256,
                        "messages too large for the transport end a stream, too",
                        s -> {
                            s.raw(
                                    WATCH,
                                    WatchRequest.newBuilder()
                                            .setCreateRequest(
                                                    watch("a").setRangeEnd(large(2_100_000)))
                                            .build()
                                            .toByteArray());
                            s.raw(PUT, put("a", large(3_000_000)).build().toByteArray());
                            s.range(get("a"));
                        }));
    }

    private static List<Scenario> byHand() {
        return List.of(
                scenario(
                        268,
                        "calls made by hand: other headers, other content types",
                        s -> {
                            byte[] get = get("a").build().toByteArray();
                            for (String change :
                                    List.of(
                                            "x: y",
                                            "te",
                                            "content-type: application/grpc+proto",
                                            "content-type: application/grpc;charset=utf-8",
                                            ":scheme: https",
                                            "grpc-encoding: identity",
                                            "grpc-encoding: gzip",
                                            "grpc-accept-encoding: gzip",
                                            "grpc-timeout: 5S",
                                            "grpc-timeout: 5000m",
                                            "user-agent: by hand")) {
                                s.http2("/" + RANGE, List.of(change), get);
                            }
                            s.http2("/" + RANGE, List.of(), hex("0a05"));
                            s.http2("/" + RANGE, List.of(), hex(""));
                        }),
                scenario(
                        269,
                        "malformed calls made by hand are refused",
                        s -> {
                            byte[] get = get("a").build().toByteArray();
                            for (String change :
                                    List.of(
                                            "content-type",
                                            "content-type: application/json",
                                            "content-type: text/plain",
                                            ":method: GET",
                                            ":method: PUT",
                                            ":path: /",
                                            ":path: etcdserverpb.KV/Range",
                                            "grpc-encoding: snappy",
                                            "grpc-timeout: soon",
                                            "grpc-timeout: 5")) {
                                s.http2Refusal("/" + RANGE, List.of(change), get);
                            }
                            s.range(get("a"));
                        }),
                scenario(266, "a client that pings all the time is sent away", s -> s.pings(20)));
    }

    private static List<Scenario> http() {
        return List.of(
                scenario(
                        112,
                        "health and version by plain HTTP",
                        s -> {
                            for (String path :
                                    List.of(
                                            "/health",
                                            "/health?serializable=true",
                                            "/health?exclude=NOSPACE",
                                            "/livez",
                                            "/livez?verbose",
                                            "/readyz",
                                            "/readyz?verbose",
                                            "/readyz?verbose&exclude=data_corruption",
                                            "/readyz?exclude=nothing",
                                            "/livez/serializable_read",
                                            "/readyz/linearizable_read",
                                            "/readyz/data_corruption",
                                            "/readyz/non_learner",
                                            "/readyz/nothing",
                                            "/version",
                                            "/nothing",
                                            "/",
                                            "/v2/keys")) {
                                s.http("GET", path);
                            }
                            s.http("POST", "/health");
                            s.http("POST", "/livez");
                            s.http("POST", "/readyz");
                            s.http("POST", "/version");
                            s.http("HEAD", "/health");
                        }),
                scenario(
                        257,
                        "health under alarms by plain HTTP",
                        s -> {
                            for (AlarmType alarm : List.of(AlarmType.NOSPACE, AlarmType.CORRUPT)) {
                                s.alarm(AlarmAction.ACTIVATE, alarm);
                                s.http("GET", "/health");
                                s.http("GET", "/health?exclude=" + alarm);
                                s.http("GET", "/health?exclude=NOSPACE&exclude=CORRUPT");
                                s.http("GET", "/livez?verbose");
                                s.http("GET", "/readyz?verbose");
                                s.http("GET", "/readyz?exclude=data_corruption");
                                s.alarm(AlarmAction.DEACTIVATE, alarm);
                            }
                            s.http("GET", "/health");
                        }));
    }

    private static void health(Session s, String service) {
        s.call(
                HealthGrpc.getCheckMethod(),
                HealthCheckRequest.newBuilder().setService(service).build());
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }
}
