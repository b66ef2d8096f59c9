package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class BoundedMapTest {
    private final BoundedMap<String, Integer> recent = new BoundedMap<>(2);

    @Test
    void theOldestEntryMakesRoom() {
        recent.put("a", 1);
        recent.put("b", 2);
        recent.put("c", 3);

        assertThat(recent.get("a")).isNull();
        assertThat(recent.get("b")).isEqualTo(2);
        assertThat(recent.get("c")).isEqualTo(3);
    }

    @Test
    void anEntryThatIsPutAgainIsNewAgain() {
        recent.put("a", 1);
        recent.put("b", 2);
        recent.put("a", 3);
        recent.put("c", 4);

        assertThat(recent.get("a")).isEqualTo(3);
        assertThat(recent.get("b")).isNull();
    }

    @Test
    void aRemovedEntryIsGone() {
        recent.put("a", 1);

        assertThat(recent.remove("a")).isEqualTo(1);
        assertThat(recent.get("a")).isNull();
    }
}
