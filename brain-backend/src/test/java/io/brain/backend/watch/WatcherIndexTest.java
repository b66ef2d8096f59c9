package io.brain.backend.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatcherIndexTest {
    private final WatcherIndex<String> index = new WatcherIndex<>();

    @Test
    void keysRangesAndOpenEndsAreFound() {
        index.add(KeySpan.of(Bytes.utf8("b")), "key b");
        index.add(span("a", "c"), "a to c");
        index.add(span("b", "\0"), "from b");
        index.add(KeySpan.ALL, "all");
        assertThat(met("b")).containsExactlyInAnyOrder("key b", "a to c", "from b", "all");
        assertThat(met("a")).containsExactlyInAnyOrder("a to c", "all");
        assertThat(met("c")).containsExactlyInAnyOrder("from b", "all");
        assertThat(met("ba")).containsExactlyInAnyOrder("a to c", "from b", "all");
        assertThat(met("")).containsExactly("all");
    }

    @Test
    void equalSpansAreVisitedInOrderAndRemovedOneByOne() {
        index.add(span("a", "c"), "1");
        index.add(span("a", "c"), "2");
        index.add(span("a", "c"), "3");
        index.remove(span("a", "c"), "2");
        assertThat(met("b")).containsExactly("1", "3");
        index.remove(span("a", "c"), "1");
        index.remove(span("a", "c"), "3");
        assertThat(met("b")).isEmpty();
        assertThat(index.size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void itAgreesWithAskingEverySpan(long seed) {
        Random random = new Random(seed);
        Map<String, KeySpan> model = new HashMap<>();
        for (int step = 0; step < 600; step++) {
            if (model.isEmpty() || random.nextInt(100) < 55) {
                KeySpan span = randomSpan(random);
                index.add(span, "m" + step);
                model.put("m" + step, span);
            } else {
                List<String> members = new ArrayList<>(model.keySet());
                members.sort(null);
                String leaving = members.get(random.nextInt(members.size()));
                index.remove(model.remove(leaving), leaving);
            }
            Bytes key = randomKey(random);
            Set<String> expected = new HashSet<>();
            model.forEach(
                    (member, span) -> {
                        if (span.contains(key)) {
                            expected.add(member);
                        }
                    });
            List<String> met = new ArrayList<>();
            index.forEach(key, met::add);
            assertThat(met).as("seed %d, step %d", seed, step).doesNotHaveDuplicates();
            assertThat(Set.copyOf(met)).as("seed %d, step %d", seed, step).isEqualTo(expected);
            assertThat(index.size()).isEqualTo(model.size());
        }
    }

    @Test
    void aLargeIndexFilledInKeyOrderFindsEachMember() {
        int ranges = 10_000;
        // In key order: a tree that does not balance itself would be a list.
        for (int i = 0; i < ranges; i++) {
            String key = String.format("%06d", i);
            index.add(span(key, key + "\1"), key);
        }
        long found = 0;
        for (int i = 0; i < ranges; i++) {
            found += met(String.format("%06d", i)).size();
        }
        assertThat(found).isEqualTo(ranges);
    }

    private List<String> met(String key) {
        List<String> met = new ArrayList<>();
        index.forEach(Bytes.utf8(key), met::add);
        return met;
    }

    private static KeySpan randomSpan(Random random) {
        while (true) {
            Bytes key = randomKey(random);
            KeySpan span =
                    switch (random.nextInt(4)) {
                        case 0 -> KeySpan.of(key);
                        case 1 -> new KeySpan(key, null, false);
                        default -> new KeySpan(key, randomKey(random), false);
                    };
            if (!span.isEmpty()) {
                return span;
            }
        }
    }

    private static Bytes randomKey(Random random) {
        byte[] key = new byte[random.nextInt(3)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(8) * 36);
        }
        return Bytes.wrap(key);
    }

    private static KeySpan span(String key, String end) {
        return KeySpan.of(Bytes.utf8(key), Bytes.utf8(end));
    }
}
