package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import io.brain.conformance.server.Server;
import io.brain.conformance.server.ServerCommand;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.PutRequest;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What Brain's page of metrics shares with a real etcd's means the same to who scrapes it. */
@Tag("peer")
class MetricsPagesTest {
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");

    @Test
    void sharedNamesHaveTheSameTypesLabelsAndBuckets() throws Exception {
        assumeTrue(ServerCommand.etcd().isPresent(), ServerCommand::missingEtcd);
        Map<String, String> etcd = shapes(ServerCommand.etcd().orElseThrow());
        Map<String, String> brain = shapes(ServerCommand.brain());
        Map<String, String> shared = new TreeMap<>(etcd);
        shared.keySet().retainAll(brain.keySet());
        brain.keySet().retainAll(etcd.keySet());
        assertThat(brain).isEqualTo(shared).hasSizeGreaterThan(50);
        System.out.println("metrics: " + etcd.size() + " of etcd's, " + shared.size() + " shared");
    }

    private static Map<String, String> shapes(ServerCommand command) throws Exception {
        try (Server server = Server.start(command, List.of("--metrics=extensive"))) {
            everythingOnce(server);
            get(server, "/health");
            get(server, "/livez");
            get(server, "/readyz");
            return shapes(get(server, "/metrics"));
        }
    }

    private static void everythingOnce(Server server) {
        KVGrpc.KVBlockingStub kv = KVGrpc.newBlockingStub(server.channel());
        for (int i = 0; i < 3; i++) {
            kv.put(PutRequest.newBuilder().setKey(ByteString.copyFromUtf8("a")).build());
        }
        kv.compact(CompactionRequest.newBuilder().setRevision(3).setPhysical(true).build());
        LeaseGrpc.newBlockingStub(server.channel())
                .leaseGrant(LeaseGrantRequest.newBuilder().setTTL(100).build());
        MaintenanceGrpc.newBlockingStub(server.channel())
                .hashKV(HashKVRequest.getDefaultInstance());
    }

    private static String get(Server server, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(server.http().resolve(path)).build(),
                        BodyHandlers.ofString())
                .body();
    }

    /** Of each name: the type, the sets of its labels' names, the limits of its buckets. */
    private static Map<String, String> shapes(String page) {
        Map<String, String> types = new TreeMap<>();
        Map<String, TreeSet<String>> labels = new TreeMap<>();
        Map<String, TreeSet<String>> limits = new TreeMap<>();
        String name = "";
        for (String line : page.split("\n", -1)) {
            if (line.startsWith("# TYPE ")) {
                name = line.split(" ", -1)[2];
                types.put(name, line.split(" ", -1)[3]);
                labels.put(name, new TreeSet<>());
                limits.put(name, new TreeSet<>());
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                TreeSet<String> names = new TreeSet<>();
                Matcher matcher = LABEL.matcher(line);
                while (matcher.find()) {
                    if (matcher.group(1).equals("le")) {
                        limits.get(name).add(matcher.group(2));
                    } else {
                        names.add(matcher.group(1));
                    }
                }
                labels.get(name).add(names.toString());
            }
        }
        Map<String, String> shapes = new TreeMap<>();
        types.forEach(
                (key, type) ->
                        shapes.put(key, type + " " + labels.get(key) + " " + limits.get(key)));
        return shapes;
    }
}
