package io.brain.conformance.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import io.brain.proto.etcd.AuthenticateRequest;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.MoveLeaderRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.TxnRequest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The same HTTP requests to a real etcd's gateway and to Brain's; answers byte for byte. */
class GatewayTest extends GatewayFixture {
    private static final int REQUESTS = Integer.getInteger("gateway.requests", 1500);
    private static final long SEED = Long.getLong("gateway.seed", 1);

    /** Types of the requests, by path. */
    private static final Map<String, Descriptor> PATHS =
            Map.ofEntries(
                    Map.entry("kv/range", RangeRequest.getDescriptor()),
                    Map.entry("kv/put", PutRequest.getDescriptor()),
                    Map.entry("kv/deleterange", DeleteRangeRequest.getDescriptor()),
                    Map.entry("kv/txn", TxnRequest.getDescriptor()),
                    Map.entry("kv/compaction", CompactionRequest.getDescriptor()),
                    Map.entry("lease/grant", LeaseGrantRequest.getDescriptor()),
                    Map.entry("lease/revoke", LeaseRevokeRequest.getDescriptor()),
                    Map.entry("lease/keepalive", LeaseKeepAliveRequest.getDescriptor()),
                    Map.entry("lease/timetolive", LeaseTimeToLiveRequest.getDescriptor()),
                    Map.entry("lease/leases", LeaseLeasesRequest.getDescriptor()),
                    Map.entry("kv/lease/revoke", LeaseRevokeRequest.getDescriptor()),
                    Map.entry("kv/lease/timetolive", LeaseTimeToLiveRequest.getDescriptor()),
                    Map.entry("kv/lease/leases", LeaseLeasesRequest.getDescriptor()),
                    Map.entry("cluster/member/list", MemberListRequest.getDescriptor()),
                    Map.entry("maintenance/status", StatusRequest.getDescriptor()),
                    Map.entry("maintenance/transfer-leadership", MoveLeaderRequest.getDescriptor()),
                    Map.entry("auth/status", StatusRequest.getDescriptor()),
                    Map.entry("auth/authenticate", AuthenticateRequest.getDescriptor()),
                    Map.entry("auth/user/list", StatusRequest.getDescriptor()),
                    Map.entry("auth/role/list", StatusRequest.getDescriptor()));

    /**
     * Paths of calls that change more than data, or depend on the server: malformed bodies only.
     */
    private static final List<String> MALFORMED_ONLY =
            List.of(
                    "cluster/member/add",
                    "cluster/member/remove",
                    "cluster/member/update",
                    "cluster/member/promote",
                    "maintenance/alarm",
                    "maintenance/hash",
                    "maintenance/hashkv",
                    "maintenance/defragment",
                    "maintenance/downgrade",
                    "maintenance/snapshot",
                    "auth/user/add",
                    "auth/role/grant");

    @Test
    void generatedRequestsAreAnsweredAsByEtcd() throws Exception {
        JsonRequests requests = new JsonRequests(SEED);
        List<String> paths = PATHS.keySet().stream().sorted().toList();
        List<JsonCall> calls = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            if (requests.number(12) == 0) {
                String path = "/v3/" + MALFORMED_ONLY.get(requests.number(MALFORMED_ONLY.size()));
                calls.add(JsonCall.post(path, "[" + i));
                continue;
            }
            boolean data = requests.number(2) == 0;
            String path =
                    data
                            ? requests.pick("kv/range", "kv/put", "kv/txn", "kv/deleterange")
                            : paths.get(requests.number(paths.size()));
            String prefix = requests.number(15) == 0 ? "/v3beta/" : "/v3/";
            boolean wellFormed = requests.number(10) > 0;
            byte[] body = requests.body(PATHS.get(path), wellFormed);
            calls.add(JsonCall.post(prefix + path, body));
        }
        compare(calls);
    }

    @Test
    void oddRequestsAreAnsweredAsByEtcd() throws Exception {
        List<JsonCall> calls = new ArrayList<>();
        for (String method : List.of("GET", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS")) {
            for (String path :
                    List.of("/v3/kv/range", "/v3/watch", "/v3/nope", "/v3/", "/v3beta/kv/put")) {
                calls.add(new JsonCall(method, path, null, null, null));
            }
        }
        for (String path :
                List.of(
                        "/v3",
                        "/v3/",
                        "/v3/kv",
                        "/v3/kv/range/",
                        "/v3//kv/range",
                        "/v3/./kv/range",
                        "/v3/KV/range",
                        "/v3/kv/rangestream",
                        "/v3/kv/range?x=1",
                        "/v3/kv%2Frange",
                        "/v3/kv/r%61nge",
                        "/v3alpha/kv/range",
                        "/v2/keys",
                        "/v2",
                        "/v3/kv/range:x",
                        "/v3/maintenance",
                        "/v3/openapi",
                        "/openapi",
                        "/v3/lease/lease/grant")) {
            calls.add(JsonCall.post(path, "{\"key\":\"YQ==\"}"));
        }
        for (String header :
                List.of(
                        "Grpc-Timeout: 5",
                        "Grpc-Timeout: 5x",
                        "Grpc-Timeout: 9H",
                        "Authorization: abc",
                        "Authorization: Bearer x.1",
                        "Grpc-Metadata-hasleader: true",
                        "Grpc-Metadata-a-Bin: ***",
                        "Grpc-Metadata-token: t",
                        "Origin: http://other",
                        "Content-Type: application/x-www-form-urlencoded",
                        "Content-Type: text/plain",
                        "Accept: text/html",
                        "Accept: application/json")) {
            String[] parts = header.split(": ", 2);
            ByteString body = ByteString.copyFromUtf8("{\"key\":\"YQ==\"}");
            calls.add(new JsonCall("POST", "/v3/kv/range", body, parts[0], parts[1]));
        }
        compare(calls);
    }

    @Test
    void largeRequestsAndMaintenanceAreAnsweredAsByEtcd() throws Exception {
        List<JsonCall> calls = new ArrayList<>();
        for (int bytes : new int[] {1_500_000, 1_600_000, 2_100_000, 3_000_000}) {
            String value = Base64.getEncoder().encodeToString(new byte[bytes]);
            calls.add(
                    JsonCall.post("/v3/kv/put", "{\"key\":\"YQ==\",\"value\":\"" + value + "\"}"));
        }
        calls.add(JsonCall.post("/v3/kv/range", "{\"key\":\"YQ==\"}"));
        for (String action :
                List.of("{}", "{\"action\":\"GET\"}", "{\"action\":\"DEACTIVATE\",\"alarm\":2}")) {
            calls.add(JsonCall.post("/v3/maintenance/alarm", action));
        }
        for (String version : List.of("3.6", "3.6.0", "3", "", "3.5.0", "x", "3.8.0")) {
            calls.add(
                    JsonCall.post(
                            "/v3/maintenance/downgrade", "{\"version\":\"" + version + "\"}"));
        }
        compare(calls);
    }

    private void compare(List<JsonCall> calls) throws Exception {
        List<String> differences = new ArrayList<>();
        for (JsonCall call : calls) {
            String expected = JsonAnswer.of(call.send(etcd));
            String actual = JsonAnswer.of(call.send(brain));
            if (!expected.equals(actual)) {
                differences.add(call.text() + "\netcd:  " + expected + "\nbrain: " + actual);
            }
        }
        System.out.printf(
                "gateway: %d requests, %d differences%n", calls.size(), differences.size());
        assertThat(differences).as("seed " + SEED).isEmpty();
    }
}
