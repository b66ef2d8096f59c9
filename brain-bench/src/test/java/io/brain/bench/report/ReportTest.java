package io.brain.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.bench.load.Latency;
import io.brain.bench.load.Measurement;
import io.brain.bench.load.Recorder;
import io.brain.bench.report.Results.Result;
import io.brain.bench.shape.Shape;
import io.brain.bench.shape.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    private record Fake(String kind, long size) implements Shape {
        @Override
        public String axis() {
            return "clients";
        }

        @Override
        public Measurement measure(Target target) {
            throw new UnsupportedOperationException("only reported");
        }
    }

    private static final Fake ONE = new Fake("create & <more>", 1);
    private static final Fake MANY = new Fake("create & <more>", 300);

    @Test
    void aRowComparesTheMediansAndTheRoundsRatios() {
        String table = Markdown.of(results());

        assertThat(table.lines().filter(line -> line.startsWith("| create & <more>, 300")))
                .hasSize(2)
                .satisfiesExactly(
                        base -> assertThat(base).contains("| etcd | 20.0 | 1 | 1000 | 1 |"),
                        other ->
                                assertThat(other)
                                        .contains("| brain | 5.0 | 0.25 [0.25 .. 0.50] | 1000 |"));
        assertThat(table).contains("compaction begins at s, etcd 1.00, brain 1.00");
    }

    @Test
    void theJsonFileHasEveryStretchAndNoNaN() {
        String json = Json.of(results(), Map.of("arguments", List.of("a\"b")));

        assertThat(json)
                .contains("\"arguments\":[\"a\\\"b\"]", "\"perSecond\":1000.000", "\"round\":3")
                .doesNotContain("NaN");
        assertThat(json.split("\"round\":", -1)).hasSize(13);
        assertThat(Json.text(Double.NaN)).isEqualTo("null");
        assertThat(Json.text(List.of())).isEqualTo("[]");
    }

    private static Results results() {
        List<Result> all = new ArrayList<>();
        int[] brainMicros = {5_000, 10_000, 5_000};
        for (int round = 1; round <= 3; round++) {
            for (Fake shape : List.of(ONE, MANY)) {
                all.add(new Result(round, shape, "etcd", figures(20_000)));
                all.add(new Result(round, shape, "brain", figures(brainMicros[round - 1])));
            }
        }
        return new Results(List.of("etcd", "brain"), List.of(ONE, MANY), all);
    }

    private static Measurement figures(long cpuMicros) {
        return new Measurement(
                1_000,
                1,
                new Latency(1_000, 2_000, 3_000, 4_000, 5_000),
                new Measurement.Usage(cpuMicros, 1_024, 2_048),
                new Measurement.Usage(30_000, 1_024, 2_048),
                new Measurement.Failures(0, null),
                Map.of("compaction begins at s", 1.0),
                List.of(new Recorder.Second(0, 500, 3_000), new Recorder.Second(1, 500, 4_000)));
    }
}
