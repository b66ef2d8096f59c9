package io.brain.server.etcd;

import io.brain.options.HostPort;
import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.StatusOr;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Resolves gRPC targets that list servers: the first that can be reached is called. */
public final class ListedServers extends NameResolverProvider {
    private static final String SCHEME = "servers";
    private static final int PRIORITY = 5;

    static {
        NameResolverRegistry.getDefaultRegistry().register(new ListedServers());
    }

    /**
     * The target of a channel to one of the servers.
     *
     * @param servers URLs with host and port; not empty
     */
    public static String target(List<URI> servers) {
        if (servers.size() == 1 && servers.get(0).getHost() != null) {
            return servers.get(0).getAuthority();
        }
        String path =
                servers.stream().map(URI::getAuthority).collect(Collectors.joining(",", "/", ""));
        try {
            return new URI(SCHEME, "", path, null, null).toString();
        } catch (URISyntaxException impossible) {
            throw new IllegalArgumentException(impossible);
        }
    }

    @Override
    public String getDefaultScheme() {
        return SCHEME;
    }

    @Override
    protected boolean isAvailable() {
        return true;
    }

    @Override
    protected int priority() {
        return PRIORITY;
    }

    @Override
    public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
        return List.of(InetSocketAddress.class);
    }

    @Override
    public NameResolver newNameResolver(URI target, NameResolver.Args args) {
        if (!SCHEME.equals(target.getScheme())) {
            return null;
        }
        List<String> servers = List.of(target.getPath().substring(1).split(",", -1));
        return new Resolver(servers);
    }

    /** Resolves the host names when it starts, and again when no server can be reached. */
    private static final class Resolver extends NameResolver {
        private final List<String> servers;
        private Listener2 listener;

        Resolver(List<String> servers) {
            this.servers = servers;
        }

        @Override
        public String getServiceAuthority() {
            return servers.get(0);
        }

        @Override
        public void start(Listener2 to) {
            listener = to;
            refresh();
        }

        @Override
        public void refresh() {
            listener.onResult2(
                    ResolutionResult.newBuilder()
                            .setAddressesOrError(
                                    StatusOr.fromValue(
                                            servers.stream().map(Resolver::address).toList()))
                            .build());
        }

        private static EquivalentAddressGroup address(String server) {
            HostPort at = HostPort.of(URI.create("http://" + server));
            return new EquivalentAddressGroup(
                    new InetSocketAddress(at.host(), at.port()),
                    Attributes.newBuilder()
                            .set(EquivalentAddressGroup.ATTR_AUTHORITY_OVERRIDE, server)
                            .build());
        }

        @Override
        public void shutdown() {}
    }
}
