package io.brain.bench.report;

import io.brain.bench.load.Measurement;
import io.brain.bench.load.Ratio;
import io.brain.bench.shape.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * All stretches of a run.
 *
 * @param servers names; the first is the base of the ratios
 * @param loads in the order of the table
 * @param all in the order of measurement
 */
public record Results(List<String> servers, List<Shape> loads, List<Result> all) {

    /**
     * Result of one stretch.
     *
     * @param round from 1
     * @param server name of the server
     */
    public record Result(int round, Shape shape, String server, Measurement figures) {}

    /** The measured loads, in the order of the table. */
    public List<Shape> shapes() {
        return loads.stream()
                .filter(load -> all.stream().anyMatch(result -> result.shape().equals(load)))
                .toList();
    }

    /** Measurements of a load on a server, by round. */
    public List<Measurement> of(Shape shape, String server) {
        return all.stream()
                .filter(r -> r.shape().equals(shape) && r.server().equals(server))
                .map(Result::figures)
                .toList();
    }

    /** Median of the rounds; NaN without rounds. */
    public double median(Shape shape, String server, ToDoubleFunction<Measurement> figure) {
        return Ratio.median(of(shape, server).stream().map(figure::applyAsDouble).toList());
    }

    /** Ratio to the first server, over common rounds. */
    public Ratio ratio(Shape shape, String server, ToDoubleFunction<Measurement> figure) {
        List<Double> figures = new ArrayList<>();
        List<Double> bases = new ArrayList<>();
        for (Result mine : all) {
            if (mine.shape().equals(shape) && mine.server().equals(server)) {
                for (Result base : all) {
                    if (base.round() == mine.round()
                            && base.shape().equals(shape)
                            && base.server().equals(servers.get(0))) {
                        figures.add(figure.applyAsDouble(mine.figures()));
                        bases.add(figure.applyAsDouble(base.figures()));
                    }
                }
            }
        }
        return Ratio.of(figures, bases);
    }
}
