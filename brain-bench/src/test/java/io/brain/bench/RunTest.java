package io.brain.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.bench.shape.Shape;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class RunTest {

    private final List<Shape> shapes = shapes();

    @Test
    void everyRoundHasAllLoadsInAnotherOrder() {
        Random random = new Random(7);
        List<Shape> first = Run.shuffled(shapes, random);
        List<Shape> second = Run.shuffled(shapes, random);

        assertThat(first).containsExactlyInAnyOrderElementsOf(shapes);
        assertThat(second).containsExactlyInAnyOrderElementsOf(shapes);
        assertThat(List.of(shapes, first, second)).doesNotHaveDuplicates();
    }

    @Test
    void aSeedDeterminesTheOrder() {
        Random random = new Random(7);
        Random again = new Random(7);

        for (int round = 0; round < 3; round++) {
            assertThat(Run.shuffled(shapes, random)).isEqualTo(Run.shuffled(shapes, again));
        }
        assertThat(Run.shuffled(shapes, new Random(7)))
                .isNotEqualTo(Run.shuffled(shapes, new Random(8)));
    }

    private static List<Shape> shapes() {
        String[] args = {"--server=etcd=1@127.0.0.1:2379", "--shapes=usual"};
        Options options = Options.of(new CommandLine(Options.spec()).parseArgs(args));
        return options.loads().stream()
                .flatMap(load -> load.shapes(options.sizes()).stream())
                .toList();
    }
}
