package io.brain.backend.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LogPartsTest {
    private static final int PART = 500;
    private static final long TIME = 1_800_000_000_000L;

    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);

    @Test
    void smallRevisionsShareAPart() {
        NavigableMap<Bytes, LogEntry> parts = cut(events(2, 1, 1, 2, 1));
        assertThat(parts.keySet()).containsExactly(coder.logKey(2, 0));
        assertThat(parts.firstEntry().getValue().lastRevision()).isEqualTo(5);
    }

    @Test
    void aRevisionIsInOnePart() {
        NavigableMap<Bytes, LogEntry> parts = cut(events(2, 4, 4, 4));
        assertThat(parts.keySet())
                .containsExactly(coder.logKey(2, 0), coder.logKey(3, 0), coder.logKey(4, 0));
    }

    @Test
    void aLargeRevisionHasItsOwnParts() {
        NavigableMap<Bytes, LogEntry> parts = cut(events(2, 1, 20, 1));
        assertThat(parts.firstKey()).isEqualTo(coder.logKey(2, 0));
        assertThat(parts.lastKey()).isEqualTo(coder.logKey(4, 0));
        List<Bytes> middle =
                List.copyOf(parts.subMap(coder.logKey(3, 0), coder.logKey(4, 0)).keySet());
        assertThat(middle).hasSizeGreaterThan(2);
        for (int part = 0; part < middle.size(); part++) {
            assertThat(middle.get(part)).isEqualTo(coder.logKey(3, part));
        }
    }

    @Test
    void noEventsMakeNoPart() {
        assertThat(cut(List.of())).isEmpty();
    }

    @Test
    void everyRevisionIsFoundFromTheLastPartAtOrBelowIt() {
        Random random = new Random(5);
        for (int round = 0; round < 300; round++) {
            int[] sizes = random.ints(1 + random.nextInt(20), 1, 12).toArray();
            List<LogEvent> events = events(100, sizes);
            NavigableMap<Bytes, LogEntry> parts = cut(events);
            List<LogEvent> read = new ArrayList<>();
            parts.values().forEach(part -> read.addAll(part.events()));
            assertThat(read).isEqualTo(events);
            for (int i = 0; i < sizes.length; i++) {
                long revision = 100L + i;
                Bytes from = parts.floorKey(coder.logKey(revision, 0));
                List<LogEvent> found = new ArrayList<>();
                parts.tailMap(from).values().forEach(part -> found.addAll(part.events()));
                found.removeIf(event -> event.revision() != revision);
                assertThat(found).hasSize(sizes[i]);
            }
            parts.values()
                    .forEach(
                            part -> {
                                assertThat(part.encode().length()).isLessThanOrEqualTo(PART);
                            });
        }
    }

    /** One revision after the other from {@code first} on, with so many events each. */
    private static List<LogEvent> events(long first, int... sizes) {
        List<LogEvent> events = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++) {
            for (int sub = 0; sub < sizes[i]; sub++) {
                Bytes key = Bytes.utf8("key".repeat(10) + sub);
                events.add(new LogEvent(key, first + i, sub, false, 0, 0, null));
            }
        }
        return events;
    }

    private NavigableMap<Bytes, LogEntry> cut(List<LogEvent> events) {
        TreeMap<Bytes, LogEntry> parts = new TreeMap<>();
        new LogParts(coder, TIME, PART, (key, entry) -> parts.put(key, LogEntry.decode(entry)))
                .write(events);
        assertThat(parts.values()).allMatch(part -> part.unixMillis() == TIME);
        return parts;
    }
}
