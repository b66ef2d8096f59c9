package io.brain.conformance.members;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All relays of a cluster, and the links that they keep, one for any two parties. */
public final class Network implements AutoCloseable {

    private final Map<String, Link> links = new TreeMap<>();
    private final List<Relay> relays = new ArrayList<>();

    /** A relay for one party's connections to a port of another. */
    synchronized Relay between(String from, String to, int port) throws IOException {
        Link link = link(from, to);
        return keep(new Relay(0, port, socket -> link));
    }

    /** A relay for the connections of several programs to a port of one of them. */
    synchronized Relay among(Collection<Program> programs, String to, int port) throws IOException {
        Link unknown = link("somebody", to);
        return keep(
                new Relay(
                        0,
                        port,
                        socket ->
                                SocketOwner.of(socket.getPort(), programs)
                                        .map(program -> link(program.name(), to))
                                        .orElse(unknown)));
    }

    private Relay keep(Relay relay) {
        relays.add(relay);
        return relay;
    }

    /** The link between two parties, in whichever order. */
    public synchronized Link link(String one, String other) {
        String name = one.compareTo(other) < 0 ? one + "-" + other : other + "-" + one;
        return links.computeIfAbsent(name, Link::new);
    }

    /** The links that lead to or from this party. */
    public synchronized List<Link> of(String party) {
        return links.values().stream()
                .filter(link -> List.of(link.name().split("-")).contains(party))
                .toList();
    }

    /** The links between a party and those whose names begin so. */
    public synchronized List<Link> links(String party, String others) {
        return of(party).stream()
                .filter(
                        link ->
                                List.of(link.name().split("-")).stream()
                                        .anyMatch(name -> name.startsWith(others)))
                .toList();
    }

    /** Every link that there has been use for. */
    public synchronized List<Link> all() {
        return List.copyOf(links.values());
    }

    /** Opens every link. */
    public void heal() {
        all().forEach(link -> link.set(Link.State.OPEN));
    }

    @Override
    public synchronized void close() {
        heal();
        relays.forEach(Relay::close);
    }
}
