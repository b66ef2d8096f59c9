package io.brain.server.peer;

import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.server.config.BrainConfig;
import io.brain.server.config.CommandLineReader;
import io.brain.server.front.EventLoops;
import io.brain.server.metrics.PeerMetrics;
import io.brain.server.tls.TlsContexts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A listening leader, and links to it. */
final class PeerNode implements AutoCloseable {
    static final long LEADER = FakeLeader.ID.memberId();
    static final long FOLLOWER = 0xf0110;

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    final FakeLeader leader = new FakeLeader();
    private final List<LeaderLink> links = new ArrayList<>();
    final PeerMetrics serverMetrics = new PeerMetrics();
    final PeerMetrics clientMetrics = new PeerMetrics();
    private final EventLoops servers = new EventLoops(1);
    private final EventLoops clients = new EventLoops(1);
    private PeerListener listener;

    /** A leader on a free port. */
    PeerNode(String... flags) throws IOException {
        listen("http://127.0.0.1:0", flags);
    }

    private PeerNode() {}

    static PeerNode overTls(String... flags) throws IOException {
        PeerNode node = new PeerNode();
        try {
            node.listen("https://127.0.0.1:0", flags);
            return node;
        } catch (IOException refused) {
            node.close();
            throw refused;
        }
    }

    void listen(String url, String... flags) throws IOException {
        BrainConfig config = config(url, flags);
        TlsContexts tls = new TlsContexts(config.cluster().tls());
        listener = new PeerListener(config, leader, tls, servers, serverMetrics);
        listener.start();
    }

    void stopListening() {
        listener.close();
    }

    int port() {
        return listener.addresses().get(0).getPort();
    }

    String url() {
        return "http://127.0.0.1:" + port();
    }

    LeaderLink link() throws IOException {
        return link(TIMEOUT, url());
    }

    LeaderLink link(Duration timeout, String... urls) throws IOException {
        TlsContexts tls = new TlsContexts(BrainConfig.Tls.NONE);
        return add(tls, timeout, List.of(urls));
    }

    LeaderLink secureLink(String host, String... flags) throws IOException {
        TlsContexts tls = new TlsContexts(config("http://127.0.0.1:0", flags).cluster().tls());
        String url = "https://" + host + ":" + port();
        return add(tls, TIMEOUT, List.of(url));
    }

    /** A link that expects {@code leader} at the URL. */
    LeaderLink linkTo(LeaderId leader, String url) throws IOException {
        TlsContexts tls = new TlsContexts(BrainConfig.Tls.NONE);
        return add(leader, tls, TIMEOUT, List.of(url));
    }

    private LeaderLink add(TlsContexts tls, Duration timeout, List<String> urls)
            throws IOException {
        return add(FakeLeader.ID, tls, timeout, urls);
    }

    private LeaderLink add(LeaderId leader, TlsContexts tls, Duration timeout, List<String> urls)
            throws IOException {
        LeaderLink link =
                new GrpcPeers(clients, tls, timeout, clientMetrics, () -> FOLLOWER)
                        .connect(leader, urls);
        links.add(link);
        return link;
    }

    private static BrainConfig config(String url, String... flags) {
        List<String> args =
                new ArrayList<>(
                        List.of("--data-dir=d", "--storage=memory", "--listen-peer-urls=" + url));
        args.addAll(List.of(flags));
        return CommandLineReader.read(args, Map.of()).config();
    }

    @Override
    public void close() {
        links.forEach(LeaderLink::close);
        if (listener != null) {
            listener.close();
        }
        clients.close();
        servers.close();
    }
}
