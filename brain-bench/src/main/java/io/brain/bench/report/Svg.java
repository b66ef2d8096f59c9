package io.brain.bench.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Renders a chart as SVG, in the light or dark scheme of the viewer. */
final class Svg {

    private static final double WIDTH = 720;
    private static final double HEIGHT = 400;
    private static final double LEFT = 72;
    private static final double RIGHT = 24;
    private static final double TOP = 64;
    private static final double BOTTOM = 52;
    private static final int TICKS = 5;

    private static final List<String> LIGHT =
            List.of("#57606a", "#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989");
    private static final List<String> DARK =
            List.of("#b1bac4", "#58a6ff", "#f0883e", "#3fb950", "#bc8cff", "#f778ba");

    private final Chart chart;
    private final StringBuilder out = new StringBuilder();
    private final double xMin;
    private final double xMax;
    private final double yMax;

    private Svg(Chart chart) {
        this.chart = chart;
        double least = points(chart).mapToDouble(Chart.Point::x).min().orElse(0);
        double most = points(chart).mapToDouble(Chart.Point::x).max().orElse(1);
        this.xMin = scale(least);
        this.xMax = Math.max(scale(most), xMin + 1e-9);
        double highest = points(chart).mapToDouble(Chart.Point::y).max().orElse(1);
        this.yMax = roundUp(highest > 0 ? highest : 1);
    }

    /** Renders the file. */
    static String of(Chart chart) {
        return new Svg(chart).draw();
    }

    /** Rounds up to 1, 2, 2.5 or 5 times a power of ten. */
    static double roundUp(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        for (double step : new double[] {1, 2, 2.5, 5}) {
            if (value <= step * power) {
                return step * power;
            }
        }
        return 10 * power;
    }

    private String draw() {
        add(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' role='img'>\n",
                WIDTH, HEIGHT);
        out.append("<style>\ntext { font: 13px system-ui, sans-serif }\n");
        out.append(".title { font-size: 16px; font-weight: 600 }\n");
        out.append(".mark { stroke-dasharray: 4 3 }\n.line { fill: none; stroke-width: 2.2 }\n");
        colours("#ffffff", "#1f2328", "#d0d7de", LIGHT);
        out.append("@media (prefers-color-scheme: dark) {\n");
        colours("#0d1117", "#e6edf3", "#30363d", DARK);
        out.append("}\n</style>\n");
        add("<title>%s</title>\n", escaped(chart.title()));
        add("<rect class='back' width='%.0f' height='%.0f'/>\n", WIDTH, HEIGHT);
        text(LEFT, 24, "start", "title", chart.title());
        yAxis();
        xAxis();
        marks();
        for (int i = 0; i < chart.lines().size(); i++) {
            line(i, chart.lines().get(i));
        }
        return out.append("</svg>\n").toString();
    }

    private void colours(String back, String text, String grid, List<String> lines) {
        add(".back { fill: %s } text { fill: %s } .grid { stroke: %s }", back, text, grid);
        add(" .mark { stroke: %s }\n", text);
        for (int i = 0; i < lines.size(); i++) {
            add(
                    ".c%d .line { stroke: %s } .c%d .dot { fill: %s }\n",
                    i, lines.get(i), i, lines.get(i));
        }
    }

    private void yAxis() {
        text(12, TOP - 14, "start", "", chart.yLabel());
        for (int i = 0; i <= TICKS; i++) {
            double value = yMax * i / TICKS;
            double y = y(value);
            add("<path class='grid' d='M%.1f %.1fH%.1f'/>\n", LEFT, y, WIDTH - RIGHT);
            text(LEFT - 8, y + 4, "end", "", number(value));
        }
    }

    private void xAxis() {
        List<Double> values = points(chart).map(Chart.Point::x).distinct().sorted().toList();
        int step = chart.logX() ? 1 : Math.max(1, values.size() / 10);
        for (int i = 0; i < values.size(); i += step) {
            text(x(values.get(i)), HEIGHT - BOTTOM + 20, "middle", "", number(values.get(i)));
        }
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "middle", "", chart.xLabel());
    }

    private void marks() {
        for (int i = 0; i < chart.marks().size(); i++) {
            Chart.Mark mark = chart.marks().get(i);
            double x = x(mark.x());
            add("<path class='mark' d='M%.1f %.1fV%.1f'/>\n", x, TOP, HEIGHT - BOTTOM);
            text(x + 4, TOP + 14 + 16 * (i % 6), "start", "", mark.name());
        }
    }

    private void line(int number, Chart.Line line) {
        add("<g class='c%d'>\n", number);
        StringBuilder path = new StringBuilder();
        for (Chart.Point point : line.points()) {
            path.append(path.isEmpty() ? 'M' : 'L');
            path.append(String.format(Locale.ROOT, "%.1f %.1f", x(point.x()), y(point.y())));
        }
        if (!path.isEmpty()) {
            add("<path class='line' d='%s'/>\n", path);
        }
        for (Chart.Point point : line.points()) {
            add("<circle class='dot' cx='%.1f' cy='%.1f' r='3'/>\n", x(point.x()), y(point.y()));
        }
        double keyX = LEFT + 60 + (WIDTH - LEFT - RIGHT - 60) / chart.lines().size() * number;
        add("<path class='line' d='M%.1f %.1fh18'/>\n", keyX, TOP - 18);
        text(keyX + 24, TOP - 14, "start", "", line.name());
        out.append("</g>\n");
    }

    private double x(double value) {
        return LEFT + (WIDTH - LEFT - RIGHT) * (scale(value) - xMin) / (xMax - xMin);
    }

    private double y(double value) {
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / yMax;
    }

    private double scale(double value) {
        return chart.logX() ? Math.log10(value) : value;
    }

    private static Stream<Chart.Point> points(Chart chart) {
        return chart.lines().stream().flatMap(line -> line.points().stream());
    }

    private static String number(double value) {
        if (value >= 1e6 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,.0f", value).replace(',', ' ');
        }
        return String.format(Locale.ROOT, value < 1 ? "%.2f" : "%.1f", value);
    }

    private void text(double x, double y, String anchor, String kind, String words) {
        add(
                "<text x='%.1f' y='%.1f' text-anchor='%s' class='%s'>%s</text>\n",
                x, y, anchor, kind, escaped(words));
    }

    private void add(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
