package io.brain.bench.report;

import io.brain.bench.load.Measurement;
import io.brain.bench.load.Recorder;
import io.brain.bench.shape.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** Plots of a run: of loads with several sizes, over the size; of loads by second, over time. */
public final class Plots {

    private static final double MICROS_PER_MILLI = 1e3;

    private Plots() {}

    /**
     * Writes the plots to a directory, and creates it.
     *
     * @return file names
     */
    public static List<String> write(Results results, Path folder) throws IOException {
        Files.createDirectories(folder);
        Map<String, String> files = files(results);
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(folder.resolve(file.getKey()), file.getValue());
        }
        return List.copyOf(files.keySet());
    }

    /** Contents by file name. */
    static Map<String, String> files(Results results) {
        Map<String, List<Shape>> kinds = new LinkedHashMap<>();
        for (Shape shape : results.shapes()) {
            kinds.computeIfAbsent(shape.kind(), kind -> new ArrayList<>()).add(shape);
        }
        Map<String, String> files = new LinkedHashMap<>();
        kinds.forEach(
                (kind, shapes) -> {
                    if (shapes.size() > 1) {
                        overSize(results, kind, shapes, files);
                    }
                    shapes.forEach(shape -> overTime(results, shape, files));
                });
        return files;
    }

    private static void overSize(
            Results results, String kind, List<Shape> shapes, Map<String, String> files) {
        Shape first = shapes.get(0);
        String axis = shapes.get(shapes.size() - 1).axis();
        record Plot(String name, String yLabel, ToDoubleFunction<Measurement> figure) {}
        List<Plot> plots =
                List.of(
                        new Plot("throughput", first.unit() + "s/s", Measurement::rate),
                        new Plot("cpu", "CPU µs/" + first.unit(), Measurement::serverMicros),
                        new Plot("p50", "p50 ms", m -> m.latency().p50() / MICROS_PER_MILLI),
                        new Plot("p99", "p99 ms", m -> m.latency().p99() / MICROS_PER_MILLI));
        for (Plot plot : plots) {
            List<Chart.Line> lines = new ArrayList<>();
            for (String server : servers(results)) {
                Map<Double, Double> points = new TreeMap<>();
                for (Shape shape : shapes) {
                    double y = results.median(shape, server, plot.figure);
                    if (!Double.isNaN(y)) {
                        points.put((double) shape.size(), y);
                    }
                }
                lines.add(line(server, points));
            }
            String title = kind + ": " + plot.yLabel + " over " + axis;
            Chart chart = new Chart(title, axis, plot.yLabel, true, lines, List.of());
            if (chart.isDrawable()) {
                files.put(file(kind + " " + plot.name), Svg.of(chart));
            }
        }
    }

    /** One plot per server, of the last round. */
    private static void overTime(Results results, Shape shape, Map<String, String> files) {
        for (String server : results.servers()) {
            List<Measurement> rounds = results.of(shape, server);
            if (rounds.isEmpty() || rounds.get(rounds.size() - 1).series().isEmpty()) {
                continue;
            }
            Measurement last = rounds.get(rounds.size() - 1);
            List<Chart.Point> points = new ArrayList<>();
            for (Recorder.Second second : last.series()) {
                points.add(new Chart.Point(second.at(), second.p99Micros() / MICROS_PER_MILLI));
            }
            List<Chart.Mark> marks = new ArrayList<>();
            last.more()
                    .forEach(
                            (name, value) -> {
                                if (name.endsWith(" at s")) {
                                    marks.add(new Chart.Mark(value, name.replace(" at s", "")));
                                }
                            });
            Chart chart =
                    new Chart(
                            shape.label() + ": p99 of each second, " + server,
                            "seconds",
                            "p99 ms",
                            false,
                            List.of(new Chart.Line(server, points)),
                            marks);
            files.put(file(shape.kind() + " " + server), Svg.of(chart));
        }
    }

    private static List<String> servers(Results results) {
        return results.servers().subList(0, Math.min(results.servers().size(), Chart.LINES_MAX));
    }

    private static Chart.Line line(String server, Map<Double, Double> points) {
        List<Chart.Point> all = new ArrayList<>();
        points.forEach((x, y) -> all.add(new Chart.Point(x, y)));
        return new Chart.Line(server, all);
    }

    private static String file(String words) {
        return words.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".svg";
    }
}
