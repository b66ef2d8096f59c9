package io.brain.conformance.linear.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.Form;
import io.brain.conformance.linear.Violation;
import io.brain.conformance.members.Target;
import io.brain.conformance.server.Peer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Tag("peer")
@Isolated
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class LinearizableTest {

    private static final Round.Pace PACE = new Round.Pace(12, 60);

    /** A second is usual, and what test/linearize.sh asks for; this machine may be busy. */
    private static final Duration ALIKE_MAX = Duration.ofSeconds(8);

    private static final int STALE_ROUNDS_MAX = 5;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private int rounds;

    @Test
    void etcdIsLinearizableUnderFaults() throws Exception {
        var unused = Peer.ETCD.require();
        Summary summary = run(Target.ETCD, Form.size(25, 120), EnumSet.allOf(Fault.class), false);
        System.out.println("summary: linearizable, etcd: " + summary.text());
        assertThat(summary.violations()).as(summary.text()).isEmpty();
        assertThat(summary.answered()).isGreaterThan(300);
        assertThat(summary.injected()).isPositive();
        assertThat(summary.silences()).isPositive();
    }

    @Test
    void aClusterOnTikvIsLinearizableUnderFaults() throws Exception {
        Peer.requireTikv();
        Summary summary = run(Target.BRAIN, Form.size(45, 600), EnumSet.allOf(Fault.class), false);
        System.out.println("summary: linearizable, Brain: " + summary.text());
        assertThat(summary.violations()).as(summary.text()).isEmpty();
        assertThat(summary.answered()).isGreaterThan(200);
        assertThat(summary.injected()).isPositive();
        assertThat(summary.silences()).isPositive();
    }

    @Test
    void staleReadsOfAnIsolatedFollowerAreFound() throws Exception {
        var unused = Peer.ETCD.require();
        List<Violation.Kind> found = List.of();
        // Somebody has to read what changed while the follower is isolated.
        for (int i = 0; i < STALE_ROUNDS_MAX && !found.contains(Violation.Kind.REAL_TIME); i++) {
            Summary summary = run(Target.ETCD, 8, Set.of(Fault.ISOLATE_FOLLOWER), true);
            found = summary.violations().stream().map(Violation::kind).toList();
        }
        assertThat(found).contains(Violation.Kind.REAL_TIME);
    }

    private Summary run(Target target, int seconds, Set<Fault> faults, boolean staleReads)
            throws Exception {
        Round.Settings settings =
                new Round.Settings(
                        target,
                        System.nanoTime() % 1_000_000,
                        Duration.ofSeconds(seconds),
                        PACE,
                        faults,
                        EnumSet.allOf(Burst.class),
                        EnumSet.allOf(Disturbance.class),
                        ALIKE_MAX,
                        staleReads);
        Path own = Files.createDirectory(directory.resolve("round-" + ++rounds));
        return new Round(settings).run(own, own.resolve("history.gz"));
    }
}
