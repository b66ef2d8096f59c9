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
    COMPACTION,
    VERSIONS,
    OVERLAP,
    CURSOR,
    FIRST_LIST,
    WATCH_SLOW,
    KEYS_ONLY;

    private static final int KUBEBRAIN_CLIENTS = 300;
    private static final int FIRST_PREFIXES = 100;
    private static final int FIRST_KEYS = 500;
    private static final int SLOW_WATCHERS = 8;
    private static final int SLOW_PUTS_PER_SECOND = 200;
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
            return Stream.of(valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')));
        } catch (IllegalArgumentException unknown) {
            throw new IllegalArgumentException("no load is called '" + name + "'", unknown);
        }
    }

    /** The name it is asked for by, such as {@code first-list}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
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
                            .forEach(
                                    n ->
                                            shapes.add(
                                                    new WatchShape(
                                                            false, n, special.eventsPerSecond())));
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
            case VERSIONS ->
                    sizes.lists()
                            .forEach(
                                    n -> {
                                        versions(shapes, true, n, sizes);
                                        versions(shapes, false, n, sizes);
                                    });
            case OVERLAP -> shapes.add(new OverlapShape(special.listClients()));
            case CURSOR ->
                    Stream.of(CursorShape.Direction.values())
                            .forEach(direction -> shapes.add(new CursorShape(direction)));
            case FIRST_LIST ->
                    shapes.add(
                            new FirstListShape(FIRST_PREFIXES, FIRST_KEYS, special.listClients()));
            case WATCH_SLOW ->
                    shapes.add(
                            new WatchShape(
                                    true, SLOW_WATCHERS, SLOW_WATCHERS * SLOW_PUTS_PER_SECOND));
            case KEYS_ONLY -> shapes.add(new ListShape(ListShape.Kind.KEYS_ONLY, objects, 0, 1));
        }
        return shapes;
    }

    private static void versions(List<Shape> shapes, boolean limited, int each, Sizes sizes) {
        int clients = sizes.special().listClients();
        sizes.versions().forEach(n -> shapes.add(new VersionsShape(limited, each, n, clients)));
    }

    private static Shape kv(KvShape.Kind kind, int clients, Sizes.Special special) {
        return new KvShape(kind, clients, special.readShare());
    }
}
