package io.brain.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.health.HealthGrpc;
import io.brain.proto.peer.PeerGrpc;
import io.brain.server.auth.MethodAccess.Need;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every method of every service is in the table. */
class MethodAccessTest {
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
    private static final Pattern SERVICE = Pattern.compile("(?ms)^service (\\w+) \\{(.*?)^\\}");
    private static final Pattern METHOD = Pattern.compile("\\brpc (\\w+)");

    @Test
    void everyMethodOfTheDefinitionsIsListed() throws IOException {
        Set<String> defined = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("../proto/src/main/protobuf"))) {
            for (Path file : files.filter(MethodAccessTest::isServed).toList()) {
                String text = Files.readString(file);
                Matcher name = PACKAGE.matcher(text);
                assertThat(name.find()).as(file.toString()).isTrue();
                Matcher service = SERVICE.matcher(text);
                while (service.find()) {
                    Matcher method = METHOD.matcher(service.group(2));
                    while (method.find()) {
                        defined.add(name.group(1) + "." + service.group(1) + "/" + method.group(1));
                    }
                }
            }
        }
        assertThat(defined).hasSizeGreaterThan(45).contains("etcdserverpb.KV/Put");
        assertThat(MethodAccess.all().keySet()).containsExactlyInAnyOrderElementsOf(defined);
    }

    /** Not TiKV's services: Brain only calls them. */
    private static boolean isServed(Path file) {
        return file.toString().endsWith(".proto") && !file.getParent().endsWith("tikv");
    }

    @Test
    void everyMethodOfTheGeneratedServicesIsListed() {
        List<ServiceDescriptor> services =
                List.of(
                        KVGrpc.getServiceDescriptor(),
                        WatchGrpc.getServiceDescriptor(),
                        LeaseGrpc.getServiceDescriptor(),
                        ClusterGrpc.getServiceDescriptor(),
                        MaintenanceGrpc.getServiceDescriptor(),
                        AuthGrpc.getServiceDescriptor(),
                        HealthGrpc.getServiceDescriptor(),
                        PeerGrpc.getServiceDescriptor());
        for (ServiceDescriptor service : services) {
            for (MethodDescriptor<?, ?> method : service.getMethods()) {
                assertThat(MethodAccess.of(method.getFullMethodName()))
                        .as(method.getFullMethodName())
                        .isNotNull();
            }
        }
    }

    @Test
    void onlyTheseMethodsNeedNothing() {
        assertThat(
                        MethodAccess.all().entrySet().stream()
                                .filter(entry -> entry.getValue() == Need.NOTHING)
                                .map(Map.Entry::getKey))
                .containsExactlyInAnyOrder(
                        "etcdserverpb.Auth/AuthStatus",
                        "etcdserverpb.Auth/Authenticate",
                        "etcdserverpb.Auth/UserGet",
                        "grpc.health.v1.Health/Check",
                        "grpc.health.v1.Health/Watch",
                        "grpc.health.v1.Health/List",
                        "brain.peer.Peer/Submit",
                        "brain.peer.Peer/Ping",
                        "brain.peer.Peer/Tail");
    }
}
