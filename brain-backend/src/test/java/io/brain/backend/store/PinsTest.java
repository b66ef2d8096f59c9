package io.brain.backend.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PinsTest {
    private final Pins pins = new Pins();

    @Test
    void theLowestPinCountsUntilItIsTakenOut() {
        assertThat(pins.lowest()).isEqualTo(Long.MAX_VALUE);
        Pins.Unpin high = pins.pin(9);
        Pins.Unpin low = pins.pin(5);
        Pins.Unpin lowToo = pins.pin(5);
        assertThat(pins.lowest()).isEqualTo(5);
        low.unpin();
        low.unpin();
        assertThat(pins.lowest()).isEqualTo(5);
        lowToo.unpin();
        assertThat(pins.lowest()).isEqualTo(9);
        high.unpin();
        assertThat(pins.lowest()).isEqualTo(Long.MAX_VALUE);
    }
}
