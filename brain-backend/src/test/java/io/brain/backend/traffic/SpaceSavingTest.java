package io.brain.backend.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.brain.backend.traffic.SpaceSaving.Counted;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SpaceSavingTest {
    @Test
    void whatFitsIsCountedExactly() {
        SpaceSaving<String> top = new SpaceSaving<>(2);
        top.add("a", 1);
        top.add("b", 2);
        top.add("b", 3);
        assertThat(top.all()).containsExactly(new Counted<>("b", 5, 0), new Counted<>("a", 1, 0));
    }

    @Test
    void aNewcomerTakesThePlaceAndTheCountOfTheLeast() {
        SpaceSaving<String> top = new SpaceSaving<>(2);
        top.add("a", 3);
        top.add("b", 2);
        top.add("c", 1);
        assertThat(top.all()).containsExactly(new Counted<>("a", 3, 0), new Counted<>("c", 3, 2));
    }

    @Test
    void whatComesOftenStaysAmongManyThatComeOnce() {
        SpaceSaving<String> top = new SpaceSaving<>(20);
        Map<String, Integer> exact = new HashMap<>();
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            String kind = i % 4 == 0 ? "often" + random.nextInt(3) : "once" + i;
            exact.merge(kind, 1, Integer::sum);
            top.add(kind, 1);
        }
        List<Counted<String>> first = top.all().subList(0, 3);
        assertThat(first).extracting(Counted::kind).allMatch(kind -> kind.startsWith("often"));
        for (Counted<String> counted : first) {
            assertThat(counted.count()).isGreaterThanOrEqualTo(exact.get(counted.kind()));
            assertThat(counted.count() - counted.error())
                    .isLessThanOrEqualTo(exact.get(counted.kind()));
        }
        assertThat(top.all()).hasSize(20);
    }

    @Test
    void whatFadedAwayIsForgotten() {
        SpaceSaving<String> top = new SpaceSaving<>(2);
        top.add("a", 8);
        top.add("b", 1);
        top.fade(0.25, 0.5);
        assertThat(top.all()).hasSize(1);
        assertThat(top.all().get(0).count()).isEqualTo(2, within(1e-9));
    }
}
