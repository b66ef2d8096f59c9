package io.brain.backend.hash;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GivenHashesTest {
    private final GivenHashes given = new GivenHashes(3);

    @Test
    void theLastHashOfARevisionCounts() {
        given.add(new KvHash(1, 10, -1, 12));
        given.add(new KvHash(2, 10, 5, 12));
        assertThat(given.of(10)).isEqualTo(new KvHash(2, 10, 5, 12));
        assertThat(given.of(11)).isNull();
    }

    @Test
    void aHashThatWasMadeAfterTheCompactionTakesNoPlace() {
        given.add(new KvHash(1, 10, 5, 12));
        given.add(new KvHash(2, 10, 10, 12));
        given.add(new KvHash(3, 11, 11, 12));
        assertThat(given.of(10).hash()).isEqualTo(1);
        assertThat(given.of(11)).isNull();
    }

    @Test
    void beyondTheBoundTheOneThatWasGivenFirstLeaves() {
        given.add(new KvHash(1, 10, -1, 12));
        given.add(new KvHash(2, 11, -1, 12));
        given.add(new KvHash(3, 12, -1, 12));
        given.add(new KvHash(4, 10, -1, 12));
        given.add(new KvHash(5, 13, -1, 13));
        assertThat(given.of(11)).isNull();
        assertThat(given.of(10).hash()).isEqualTo(4);
        assertThat(given.of(12).hash()).isEqualTo(3);
        assertThat(given.of(13).hash()).isEqualTo(5);
    }
}
