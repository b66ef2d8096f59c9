package io.brain.bench.report;

import java.util.List;

/**
 * Lines over an axis.
 *
 * @param logX true if the axis is of powers; then no point may be at 0 or below
 * @param lines as many as there are colours at most
 * @param marks times to be marked on the axis; empty for none
 */
record Chart(
        String title,
        String xLabel,
        String yLabel,
        boolean logX,
        List<Line> lines,
        List<Mark> marks) {

    static final int LINES_MAX = 6;

    /** One server's figures. */
    record Line(String name, List<Point> points) {}

    /** A figure. */
    record Point(double x, double y) {}

    /** A place on the axis that has a name. */
    record Mark(double x, String name) {}

    Chart {
        if (lines.size() > LINES_MAX) {
            throw new IllegalArgumentException(lines.size() + " lines are too many to tell apart");
        }
    }

    /** True if there is a point to be drawn. */
    boolean isDrawable() {
        return lines.stream().anyMatch(line -> !line.points().isEmpty());
    }
}
