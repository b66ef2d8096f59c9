package io.brain.bench.shape;

import io.brain.bench.shape.ListShape.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;

/** All kinds of load, by name. */
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
    LEASE,
    COMPACTION,
    VERSIONS,
    OVERLAP,
    CURSOR,
    FIRST_LIST,
    WATCH_SLOW,
    KEYS_ONLY,
    NEIGHBOUR;

    private static final int FIRST_PREFIXES = 100;
    private static final int FIRST_KEYS = 500;
    private static final int LISTS_BESIDE = 1000;
    private static final int SLOW_WATCHERS = 8;
    private static final int SLOW_PUTS_PER_SECOND = 200;
    private static final List<Catalogue> USUAL =
            List.of(PUT, CREATE, UPDATE, DELETE, MIXED, GET, LIST, PAGES, COUNT, WATCH);

    /**
     * Parses names.
     *
     * @param names such as {@code create}, or {@code usual}, or {@code all}
     * @throws IllegalArgumentException if a load is unknown
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
            throw new IllegalArgumentException("unknown load '" + name + "'", unknown);
        }
    }

    /** The name, such as {@code first-list}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** This load at all its sizes. */
    public List<Shape> shapes(Sizes sizes) {
        Sizes.Special special = sizes.special();
        int objects = special.objects();
        int clients = special.listClients();
        return switch (this) {
            case PUT, CREATE, UPDATE, DELETE, MIXED, GET, LEASE -> {
                KvShape.Kind kind = KvShape.Kind.valueOf(name());
                yield each(sizes.clients(), n -> new KvShape(kind, n, special.readShare()));
            }
            case LIST ->
                    each(sizes.lists(), n -> list(Kind.LIST, Math.max(n, objects), n, clients));
            case PAGES -> each(sizes.pages(), n -> list(Kind.PAGES, objects, n, 1));
            case COUNT -> List.of(list(Kind.COUNT, objects, 0, clients));
            case READ -> List.of(list(Kind.READ, objects, 1, clients));
            case KEYS_ONLY -> List.of(list(Kind.KEYS_ONLY, objects, 0, 1));
            case WATCH ->
                    each(
                            sizes.watchers(),
                            n -> new WatchShape(false, n, special.eventsPerSecond()));
            case WATCH_SLOW ->
                    List.of(
                            new WatchShape(
                                    true, SLOW_WATCHERS, SLOW_WATCHERS * SLOW_PUTS_PER_SECOND));
            case COMPACTION ->
                    List.of(
                            new CompactionShape(
                                    special.compaction().history(),
                                    special.compaction().perSecond()));
            case VERSIONS -> versions(sizes);
            case OVERLAP -> List.of(new OverlapShape(clients));
            case CURSOR -> each(List.of(CursorShape.Direction.values()), CursorShape::new);
            case NEIGHBOUR -> List.of(new NeighbourShape(LISTS_BESIDE));
            case FIRST_LIST -> List.of(new FirstListShape(FIRST_PREFIXES, FIRST_KEYS, clients));
        };
    }

    private static <T> List<Shape> each(List<T> sizes, Function<T, Shape> shape) {
        return sizes.stream().map(shape).toList();
    }

    private static Shape list(Kind kind, int objects, int each, int clients) {
        return new ListShape(kind, objects, each, clients);
    }

    private static List<Shape> versions(Sizes sizes) {
        List<Shape> shapes = new ArrayList<>();
        int clients = sizes.special().listClients();
        for (int keys : sizes.lists()) {
            for (boolean limited : new boolean[] {true, false}) {
                sizes.versions()
                        .forEach(n -> shapes.add(new VersionsShape(limited, keys, n, clients)));
            }
        }
        return shapes;
    }
}
