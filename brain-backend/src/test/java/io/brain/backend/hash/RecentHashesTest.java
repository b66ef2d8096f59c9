package io.brain.backend.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.hash.Hasher.RecentHashes;
import org.junit.jupiter.api.Test;

class RecentHashesTest {
    private final RecentHashes recent = new RecentHashes(3);

    @Test
    void latestHashOfARevisionReplacesEarlierOnes() {
        recent.add(new KvHash(1, 10, -1, 12));
        recent.add(new KvHash(2, 10, 5, 12));
        assertThat(recent.of(10)).isEqualTo(new KvHash(2, 10, 5, 12));
        assertThat(recent.of(11)).isNull();
    }

    @Test
    void hashComputedAfterTheCompactionIsNotAdded() {
        recent.add(new KvHash(1, 10, 5, 12));
        recent.add(new KvHash(2, 10, 10, 12));
        recent.add(new KvHash(3, 11, 11, 12));
        assertThat(recent.of(10).hash()).isEqualTo(1);
        assertThat(recent.of(11)).isNull();
    }

    @Test
    void oldestHashIsEvicted() {
        recent.add(new KvHash(1, 10, -1, 12));
        recent.add(new KvHash(2, 11, -1, 12));
        recent.add(new KvHash(3, 12, -1, 12));
        recent.add(new KvHash(4, 10, -1, 12));
        recent.add(new KvHash(5, 13, -1, 13));
        assertThat(recent.of(11)).isNull();
        assertThat(recent.of(10).hash()).isEqualTo(4);
        assertThat(recent.of(12).hash()).isEqualTo(3);
        assertThat(recent.of(13).hash()).isEqualTo(5);
    }
}
