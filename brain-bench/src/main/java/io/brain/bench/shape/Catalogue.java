package io.brain.bench.shape;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** All kinds of load, by the names they are asked for. */
public enum Catalogue {
    PUT,
    CREATE,
    UPDATE,
    DELETE,
    MIXED,
    GET,
    LIST,
    PAGES,
    COUNT,
    READ,
    WATCH,
    IDLE,
    LEASE,
    KUBEBRAIN,
    COMPACTION;

    private static final int KUBEBRAIN_CLIENTS = 300;
    private static final List<Catalogue> USUAL =
            List.of(PUT, CREATE, UPDATE, DELETE, MIXED, GET, LIST, PAGES, COUNT, WATCH);

    /**
     * Reads names.
     *
     * @param names such as {@code create}, or {@code usual}, or {@code all}
     * @throws IllegalArgumentException if there is no such load
     */
    public static List<Catalogue> parse(List<String> names) {
        return names.stream().flatMap(Catalogue::parse).distinct().toList();
    }

    private static Stream<Catalogue> parse(String name) {
        if (name.equals("usual")) {
            return USUAL.stream();
        }
        if (name.equals("all")) {
            return Stream.of(values());
        }
        try {
            return Stream.of(valueOf(name.toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException unknown) {
            throw new IllegalArgumentException("no load is called '" + name + "'", unknown);
        }
    }

    /** This load at all its sizes. */
    public List<Shape> shapes(Sizes sizes) {
        List<Shape> shapes = new ArrayList<>();
        Sizes.Special special = sizes.special();
        int objects = special.objects();
        switch (this) {
            case PUT, CREATE, UPDATE, DELETE, MIXED, GET, LEASE -> {
                KvShape.Kind kind = KvShape.Kind.valueOf(name());
                sizes.clients().forEach(n -> shapes.add(kv(kind, n, special)));
            }
            case LIST ->
                    sizes.lists()
                            .forEach(
                                    n ->
                                            shapes.add(
                                                    new ListShape(
                                                            ListShape.Kind.LIST,
                                                            Math.max(n, objects),
                                                            n,
                                                            special.listClients())));
            case PAGES ->
                    sizes.pages()
                            .forEach(
                                    n ->
                                            shapes.add(
                                                    new ListShape(
                                                            ListShape.Kind.PAGES, objects, n, 1)));
            case COUNT ->
                    shapes.add(
                            new ListShape(ListShape.Kind.COUNT, objects, 0, special.listClients()));
            case READ ->
                    shapes.add(
                            new ListShape(ListShape.Kind.READ, objects, 1, special.listClients()));
            case WATCH ->
                    sizes.watchers()
                            .forEach(n -> shapes.add(new WatchShape(n, special.eventsPerSecond())));
            case IDLE -> shapes.add(new IdleShape(special.idleWatchers()));
            case KUBEBRAIN ->
                    Stream.of(KubeBrainShape.Kind.values())
                            .forEach(
                                    kind ->
                                            shapes.add(
                                                    new KubeBrainShape(kind, KUBEBRAIN_CLIENTS)));
            case COMPACTION ->
                    shapes.add(
                            new CompactionShape(
                                    special.compaction().history(),
                                    special.compaction().perSecond()));
        }
        return shapes;
    }

    private static Shape kv(KvShape.Kind kind, int clients, Sizes.Special special) {
        return new KvShape(kind, clients, special.readShare());
    }
}
