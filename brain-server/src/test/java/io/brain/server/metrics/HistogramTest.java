package io.brain.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HistogramTest {
    @Test
    void aValueCountsInEveryBucketAboveIt() {
        Histogram histogram = Histogram.ofSeconds();
        histogram.record(1_000_000);
        histogram.record(1_000_001);
        histogram.record(3_000_000_000L);
        histogram.record(9_000_000_000L);
        Page page = Page.read(text(histogram));
        assertThat(page.value("x_bucket{le=\"0.001\"}")).isEqualTo(1);
        assertThat(page.value("x_bucket{le=\"0.002\"}")).isEqualTo(2);
        assertThat(page.value("x_bucket{le=\"2.048\"}")).isEqualTo(2);
        assertThat(page.value("x_bucket{le=\"4.096\"}")).isEqualTo(3);
        assertThat(page.value("x_bucket{le=\"8.192\"}")).isEqualTo(3);
        assertThat(page.value("x_bucket{le=\"+Inf\"}")).isEqualTo(4);
        assertThat(page.value("x_sum")).isEqualTo(12.002000001);
        assertThat(page.value("x_count")).isEqualTo(4);
    }

    @Test
    void limitsAreFormattedAsInEtcd() {
        assertThat(text(Histogram.ofNumbers(1, 24)))
                .contains("x_bucket{le=\"1\"} 0\n", "x_bucket{le=\"8.388608e+06\"} 0\n");
        assertThat(text(Histogram.ofMillis(100, 14)))
                .contains("x_bucket{le=\"100\"} 0\n", "x_bucket{le=\"819200\"} 0\n");
        assertThat(text(Histogram.ofSeconds(16_000, 2))).contains("x_bucket{le=\"1.6e-05\"} 0\n");
    }

    @Test
    void theParserRejectsMalformedPages() {
        String good = text(Histogram.ofNumbers(1, 3));
        Page.read(good);
        for (String bad :
                new String[] {
                    good + good,
                    good.replace("x_count 0", "x_count 1"),
                    good.replace("{le=\"1\"} 0", "{le=\"1\"} 1"),
                    good.replace("x_sum 0", "x_sum zero"),
                    good.replace("x_sum", "y_sum"),
                    good.replace("+Inf", "9"),
                    good.replace("\"2\"", "\"\\2\""),
                    good + "x_sum 0\n",
                }) {
            assertThat(bad).isNotEqualTo(good);
            assertThatThrownBy(() -> Page.read(bad)).isInstanceOf(AssertionError.class);
        }
    }

    private static String text(Histogram histogram) {
        MetricsText text = new MetricsText();
        text.histogram("x", "What it is.");
        histogram.writeTo(text);
        return text.toString();
    }
}
