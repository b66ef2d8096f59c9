package io.brain.bench.report;

import java.util.List;

/**
 * A line chart.
 *
 * @param logX true for a logarithmic x axis; then all x are positive
 * @param lines at most one per colour
 * @param marks vertical marks; empty for none
 */
record Chart(
        String title,
        String xLabel,
        String yLabel,
        boolean logX,
        List<Line> lines,
        List<Mark> marks) {

    static final int LINES_MAX = 6;

    /** Figures of a server. */
    record Line(String name, List<Point> points) {}

    /** A point. */
    record Point(double x, double y) {}

    /** A named vertical mark. */
    record Mark(double x, String name) {}

    Chart {
        if (lines.size() > LINES_MAX) {
            throw new IllegalArgumentException(lines.size() + " lines; at most " + LINES_MAX);
        }
    }

    /** True if there is a point. */
    boolean isDrawable() {
        return lines.stream().anyMatch(line -> !line.points().isEmpty());
    }
}
