package io.brain.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.brain.admin.console.Distribution;
import org.junit.jupiter.api.Test;

class DistributionTest {
    private final Histogram histogram = Histogram.ofNumbers(10, 3);

    @Test
    void withoutValuesEverythingIsZero() {
        Distribution none = histogram.now();
        assertThat(none.count()).isZero();
        assertThat(none.mean()).isZero();
        assertThat(none.quantile(0.99)).isZero();
    }

    @Test
    void quantilesLieInTheirBucket() {
        for (int i = 0; i < 90; i++) {
            histogram.record(5);
        }
        for (int i = 0; i < 10; i++) {
            histogram.record(15);
        }
        Distribution all = histogram.now();
        assertThat(all.count()).isEqualTo(100);
        assertThat(all.mean()).isEqualTo(6, within(1e-9));
        assertThat(all.quantile(0.45)).isEqualTo(5, within(1e-9));
        assertThat(all.quantile(0.95)).isEqualTo(15, within(1e-9));
        assertThat(all.quantile(1)).isEqualTo(20, within(1e-9));
    }

    @Test
    void valuesAboveAllLimitsCountAsTheLastLimit() {
        histogram.record(1_000_000);
        assertThat(histogram.now().quantile(0.5)).isEqualTo(40);
    }

    @Test
    void sinceKeepsOnlyLaterValues() {
        histogram.record(5);
        Distribution before = histogram.now();
        histogram.record(15);
        Distribution since = histogram.now().since(before);
        assertThat(since.count()).isEqualTo(1);
        assertThat(since.mean()).isEqualTo(15);
        assertThat(since.quantile(1)).isEqualTo(20);
    }
}
