package io.brain.admin.ctl;

import java.util.Locale;

/** Formats numbers with units. */
final class Units {
    private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB"};
    private static final int STEP = 1024;

    private Units() {}

    static String bytes(double bytes) {
        int unit = 0;
        double left = bytes;
        while (left >= STEP && unit < SIZES.length - 1) {
            left /= STEP;
            unit++;
        }
        return unit == 0
                ? "%d B".formatted((long) left)
                : String.format(Locale.ROOT, "%.1f %s", left, SIZES[unit]);
    }

    static String time(double seconds) {
        if (seconds == 0) {
            return "0";
        }
        if (seconds < 1e-3) {
            return String.format(Locale.ROOT, "%.0f us", seconds * 1e6);
        }
        return seconds < 1
                ? String.format(Locale.ROOT, "%.1f ms", seconds * 1e3)
                : String.format(Locale.ROOT, "%.1f s", seconds);
    }

    static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond >= 100 ? "%.0f" : "%.2f", perSecond);
    }
}
