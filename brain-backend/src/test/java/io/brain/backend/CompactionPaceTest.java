package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.election.TermContext.TermSettings;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.compact.CompactSettings;
import io.brain.storage.Mutation;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How compaction shares the engine with writes. */
class CompactionPaceTest {
    private static final int REVISIONS = 900;
    private static final long MILLI = 1_000_000;

    /** A write of deletes. */
    private record Deletes(long nanos, long bytes) {}

    private final List<Deletes> seen = new ArrayList<>();
    private Duration each = Duration.ZERO;
    private NodeFixture fixture;

    private void open(Set<StorageTrait> traits, CompactSettings settings) {
        fixture = new NodeFixture(3, traits);
        TermSettings term = TermSettings.DEFAULTS;
        fixture.settings =
                fixture.settings.withTerm(new TermSettings(term.write(), term.lease(), settings));
        fixture.faults = storage -> new FaultyStorage(storage, this::fault, this::later);
        fixture.open();
        for (int i = 0; i < REVISIONS; i++) {
            fixture.put("a key that takes some room", "" + i);
        }
    }

    private Fault fault(WriteBatch batch) {
        if (batch.mutations().stream().allMatch(Mutation.Delete.class::isInstance)) {
            seen.add(new Deletes(fixture.simulation.nanos(), batch.bytes()));
            return Fault.NONE.delayed(each, Duration.ZERO);
        }
        return Fault.NONE;
    }

    private void later(Duration delay, Runnable task) {
        fixture.simulation
                .runtime()
                .scheduler()
                .schedule(delay, fixture.simulation.runtime().background(), task);
    }

    private void compact() {
        fixture.await(fixture.node.submit(new Compact(REVISIONS, true)));
        assertThat(seen).isNotEmpty();
    }

    private long leastGap() {
        long least = Long.MAX_VALUE;
        for (int i = 1; i < seen.size(); i++) {
            least = Math.min(least, seen.get(i).nanos() - seen.get(i - 1).nanos());
        }
        return least;
    }

    private long mostBytes() {
        return seen.stream().mapToLong(Deletes::bytes).max().orElseThrow();
    }

    @Test
    void anEmbeddedEngineGetsFewDeletesAtATimeWithRestsBetween() {
        open(Set.of(StorageTrait.EXCLUSIVE_OPEN), CompactSettings.DEFAULTS);
        compact();
        assertThat(seen).hasSizeGreaterThan(4);
        assertThat(mostBytes()).isLessThan(9 << 10);
        assertThat(leastGap()).isGreaterThanOrEqualTo(MILLI);
    }

    @Test
    void aRestIsAsLongAsTheWorkWas() {
        each = Duration.ofMillis(30);
        open(Set.of(StorageTrait.EXCLUSIVE_OPEN), CompactSettings.DEFAULTS);
        compact();
        assertThat(leastGap()).isGreaterThanOrEqualTo(2 * each.toNanos());
    }

    @Test
    void whatIsFarBehindDoesNotRest() {
        CompactSettings usual = CompactSettings.DEFAULTS;
        open(
                Set.of(StorageTrait.EXCLUSIVE_OPEN),
                new CompactSettings(
                        usual.stepRevisionsMax(),
                        usual.batchBytesMax(),
                        usual.remoteBatchBytesMax(),
                        usual.turnTombstonesMax(),
                        usual.rest(),
                        usual.retryPause(),
                        REVISIONS / 2,
                        0));
        compact();
        assertThat(seen).hasSizeGreaterThan(4);
        assertThat(leastGap()).isZero();
    }

    @Test
    void anEngineOnTheNetworkGetsManyDeletesAtATime() {
        open(Set.of(StorageTrait.EXCLUSIVE_OPEN, StorageTrait.REMOTE), CompactSettings.DEFAULTS);
        compact();
        assertThat(mostBytes()).isGreaterThan(20 << 10);
    }
}
