package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.runtime.LeaseSummary;
import io.brain.backend.runtime.LeaseSummary.Entry;
import io.brain.backend.traffic.WriteTraffic.PrefixRate;
import io.brain.storage.Bytes;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SummariesTest {
    private final NodeFixture fixture = new NodeFixture(1).open();

    @Test
    void leasesAreListedInTheOrderOfTheirExpiry() {
        fixture.await(fixture.node.submit(new GrantLease(1, 500)));
        fixture.await(fixture.node.submit(new GrantLease(2, 100)));
        fixture.await(fixture.node.submit(new GrantLease(3, 300)));
        fixture.advance(Duration.ofSeconds(10));
        fixture.await(fixture.node.submit(new KeepLeaseAlive(2)));
        LeaseSummary summary = fixture.await(fixture.node.summaries().leases()).orElseThrow();
        assertThat(summary.count()).isEqualTo(3);
        assertThat(summary.next()).extracting(Entry::id).containsExactly(2L, 3L, 1L);
        assertThat(summary.next().get(0)).isEqualTo(new Entry(2, 100, 100));
        assertThat(summary.next().get(1).ttl()).isEqualTo(300);
        assertThat(summary.next().get(1).remaining()).isBetween(285L, 290L);
        fixture.await(fixture.node.submit(new RevokeLease(2)));
        summary = fixture.await(fixture.node.summaries().leases()).orElseThrow();
        assertThat(summary.next()).extracting(Entry::id).containsExactly(3L, 1L);
    }

    @Test
    void aNodeListsChangesAndWatchers() {
        fixture.put("/registry/pods/a", "1");
        fixture.put("/registry/pods/b", "1");
        assertThat(fixture.node.summaries().writes())
                .extracting(PrefixRate::prefix)
                .containsExactly(Bytes.utf8("/registry/pods/"));
        assertThat(fixture.await(fixture.node.summaries().watchers()).watchers()).isZero();
    }

    @Test
    void aNodeThatDoesNotLeadHasNoLeases() {
        NodeFixture other = new NodeFixture(2);
        Node node = Node.open(other.storage, other.settings, other.simulation.runtime());
        assertThat(other.await(node.summaries().leases())).as("before it was elected").isEmpty();
        other.await(node.elected());
        assertThat(other.await(node.summaries().leases())).isPresent();
    }
}
