package io.brain.bench.report;

import io.brain.bench.load.Measurement;
import io.brain.bench.load.Ratio;
import io.brain.bench.shape.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * All stretches of a run; as many as it has rounds, loads and servers.
 *
 * @param servers their names; the first is what the others are compared with
 * @param loads in the order of the table
 * @param all in the order they were measured
 */
public record Results(List<String> servers, List<Shape> loads, List<Result> all) {

    /** The loads that were measured, in the order of the table. */
    public List<Shape> shapes() {
        return loads.stream()
                .filter(load -> all.stream().anyMatch(result -> result.shape().equals(load)))
                .toList();
    }

    /** A load's stretches on a server, by round. */
    public List<Measurement> of(Shape shape, String server) {
        return all.stream()
                .filter(r -> r.shape().equals(shape) && r.server().equals(server))
                .map(Result::figures)
                .toList();
    }

    /** The median of the rounds; NaN without any. */
    public double median(Shape shape, String server, ToDoubleFunction<Measurement> figure) {
        return Ratio.median(of(shape, server).stream().map(figure::applyAsDouble).toList());
    }

    /** Against the first server, by the rounds that both have. */
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
