package io.brain.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class RatioTest {

    @Test
    void theRatioIsTheMedianOfTheRoundsRatios() {
        // A disturbed second round is slow for both: its ratio is like the others'.
        Ratio ratio = Ratio.of(List.of(30.0, 300.0, 36.0), List.of(100.0, 1000.0, 100.0));

        assertThat(ratio).isEqualTo(new Ratio(0.3, 0.3, 0.36));
        assertThat(ratio.text()).isEqualTo("0.30 [0.30 .. 0.36]");
    }

    @Test
    void incompletePairsAreSkipped() {
        Ratio ratio = Ratio.of(List.of(1.0, Double.NaN, 5.0, 0.0), List.of(2.0, 2.0, 0.0, 1.0));

        assertThat(ratio).isEqualTo(new Ratio(0.5, 0.5, 0.5));
    }

    @Test
    void withoutPairsThereIsNoRatio() {
        assertThat(Ratio.of(List.of(), List.of()).text()).isEqualTo("-");
        assertThatThrownBy(() -> Ratio.of(List.of(1.0), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
        assertThat(Ratio.median(List.of(4.0, 1.0, 3.0, 2.0))).isEqualTo(2.5);
        assertThat(Ratio.median(List.of(9.0, Double.NaN, 1.0, 2.0))).isEqualTo(2.0);
        assertThat(Ratio.median(List.of())).isNaN();
    }
}
