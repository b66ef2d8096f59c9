package io.brain.bench.shape;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.bench.ServerAddress;
import io.brain.bench.load.Measurement;
import io.brain.bench.wire.Loop;
import io.brain.proto.etcd.RangeRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShapesTest {

    private static final int LISTED = 50;
    private static final Sizes SIZES =
            new Sizes(
                    List.of(2),
                    List.of(2),
                    List.of(LISTED),
                    List.of(100),
                    List.of(1, 3),
                    new Sizes.Special(300, 2, 0.9, 100, new Sizes.Compaction(10, 10)));

    private final Loop loop = new Loop();
    private MemoryServer server;
    private Target target;

    @BeforeEach
    void start() throws IOException {
        server = new MemoryServer();
        Settings settings =
                new Settings(Duration.ofMillis(50), Duration.ofMillis(600), 0, 100, 2, 16, true);
        ServerAddress address =
                new ServerAddress("memory", ProcessHandle.current().pid(), server.port(), "");
        target = new Target(address, loop, settings, "-x");
    }

    @AfterEach
    void stop() throws InterruptedException {
        target.close();
        loop.close();
        server.stop();
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "LIST",
                "VERSIONS",
                "OVERLAP",
                "CURSOR",
                "WATCH_SLOW",
                "KEYS_ONLY",
                "NEIGHBOUR"
            })
    void everyLoadAcceptsTheAnswers(Catalogue load) throws Exception {
        for (Shape shape : load.shapes(SIZES)) {
            Measurement figures = shape.measure(target);

            assertThat(figures.failures().first()).as(shape.label()).isNull();
            assertThat(figures.units()).as(shape.label()).isPositive();
        }
    }

    @Test
    void compactedVersionsAreWrittenAgain() throws Exception {
        for (boolean limited : new boolean[] {false, true}) {
            Shape shape = new VersionsShape(limited, LISTED, 10, 2);
            assertStored(shape, limited);
            assertStored(shape, limited);
            target.compact();
            assertStored(shape, limited);
        }
    }

    private void assertStored(Shape shape, boolean limited) throws Exception {
        assertThat(shape.measure(target).failures().count()).isZero();
        RangeRequest list = server.ranges().get(server.ranges().size() - 1);
        List<Integer> stored = server.stored(list);

        assertThat(stored).hasSize(limited ? 4 * LISTED : LISTED);
        assertThat(stored.subList(0, LISTED)).containsOnly(10);
        if (limited) {
            assertThat(list.getLimit()).isEqualTo(LISTED);
            assertThat(stored.subList(LISTED, 4 * LISTED)).containsOnly(8);
        }
    }

    @Test
    void backgroundPutsKeepTheirRate() throws Exception {
        Shape shape = new OverlapShape(2);
        shape.measure(target);
        long before = server.puts();
        long start = System.nanoTime();
        Measurement figures = shape.measure(target);
        double seconds = (System.nanoTime() - start) / 1e9;

        assertThat((double) (server.puts() - before)).isBetween(1.0, 1 + seconds * 100);
        assertThat(figures.more().get("background puts per second")).isPositive();
    }

    @Test
    void firstListsReadNewPrefixesOnce() throws Exception {
        Shape shape = new FirstListShape(20, 30, 2);

        assertThat(shape.measure(target).units()).isEqualTo(20);
        assertThat(shape.measure(target).failures().count()).isZero();
        assertThat(server.ranges()).hasSize(40).doesNotHaveDuplicates();
        assertThat(server.stored(server.ranges().get(35))).hasSize(30).containsOnly(8);
    }

    @Test
    void keysOnlyListsAreCompleteAndTen() throws Exception {
        Measurement figures = new ListShape(ListShape.Kind.KEYS_ONLY, 300, 0, 1).measure(target);

        assertThat(figures.units()).isEqualTo(10);
        assertThat(server.ranges())
                .hasSize(10)
                .allSatisfy(range -> assertThat(range.getKeysOnly()).isTrue())
                .allSatisfy(range -> assertThat(server.stored(range)).hasSize(300));
    }

    @Test
    void aCursorAlternatesItsDirection() throws Exception {
        new CursorShape(CursorShape.Direction.BOTH).measure(target);

        List<RangeRequest> steps = server.ranges();
        for (int i = 0; i < steps.size(); i++) {
            assertThat(steps.get(i).getLimit()).isEqualTo(1);
            assertThat(steps.get(i).getSortOrder())
                    .isEqualTo(
                            i % 2 == 0
                                    ? RangeRequest.SortOrder.NONE
                                    : RangeRequest.SortOrder.DESCEND);
        }
    }

    @Test
    void aSlowWatchCountsAPutOnceForAllWatchers() throws Exception {
        Measurement figures = new WatchShape(true, 8, 1_600).measure(target);

        assertThat(figures.failures().count()).isZero();
        assertThat(figures.units()).isBetween(1L, server.puts());
    }

    @Test
    void theMixedWarmUpMakesAllKindsOfCalls() throws Exception {
        Measurement figures = new MixedWarmUp(Duration.ofMillis(300)).measure(target);

        assertThat(figures.failures().first()).isNull();
        assertThat(figures.units()).isPositive();
    }
}
