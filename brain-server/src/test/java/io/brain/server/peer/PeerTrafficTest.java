package io.brain.server.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.cluster.link.LeaderCommand.RunTxn;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.model.Txn;
import io.brain.server.Eventually;
import io.brain.server.metrics.DashboardSeries;
import io.brain.server.metrics.MetricsText;
import io.brain.server.metrics.Page;
import io.brain.server.metrics.PeerMetrics;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Metrics of the traffic between nodes. */
@Timeout(60)
class PeerTrafficTest {
    private static final int VALUE_BYTES = 100_000;
    private static final String TO_LEADER = "{To=\"1ead\"}";
    private static final String FROM_LEADER = "{From=\"1ead\"}";
    private static final String TO_FOLLOWER = "{To=\"f0110\"}";
    private static final String FROM_FOLLOWER = "{From=\"f0110\"}";

    private PeerNode node;

    @BeforeEach
    void start() throws Exception {
        node = new PeerNode();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void bothSidesCountTheSameBytes() throws Exception {
        Bytes value = Bytes.wrap(new byte[VALUE_BYTES]);
        OpResult.Txn done = new OpResult.Txn(7, true, List.of(new OpResult.Put(7, null)));
        Txn put = Txn.of(new Op.Put(Bytes.utf8("k"), value, 0, false, false, false));
        CompletableFuture<Reply<OpResult.Txn>> call = node.link().submit(new RunTxn(put, 1));
        node.leader.next().result().complete(new Reply<>(done, Reservation.NONE));
        assertThat(call.get(20, TimeUnit.SECONDS).answer()).isEqualTo(done);
        Page client = page(node.clientMetrics);
        double sent = client.value("etcd_network_peer_sent_bytes_total" + TO_LEADER);
        assertThat(sent).isBetween((double) VALUE_BYTES, VALUE_BYTES + 1000.0);
        Page server = page(node.serverMetrics);
        assertThat(server.value("etcd_network_peer_received_bytes_total" + FROM_FOLLOWER))
                .isBetween((double) VALUE_BYTES, sent + 100);
        assertThat(server.value("etcd_network_peer_sent_bytes_total" + TO_FOLLOWER)).isPositive();
        assertThat(client.value("etcd_network_peer_received_bytes_total" + FROM_LEADER))
                .isPositive();
        assertThat(client.value("etcd_network_peer_sent_failures_total" + TO_LEADER)).isZero();
    }

    @Test
    void aFollowerHasTheSeriesOfTheDashboards() throws Exception {
        var unused = node.link();
        String count = "etcd_network_peer_round_trip_time_seconds_count" + TO_LEADER;
        Eventually.holds(() -> page(node.clientMetrics).value(count) > 0);
        Page page = page(node.clientMetrics);
        assertThat(DashboardSeries.missing(page, DashboardSeries.ofAFollower())).isEmpty();
        assertThat(page.value("etcd_network_peer_round_trip_time_seconds_sum" + TO_LEADER))
                .isBetween(1e-6, 10.0);
    }

    @Test
    void aFailureToReachTheLeaderIsCounted() throws Exception {
        LeaderLink link = node.link();
        node.stopListening();
        assertThatThrownBy(() -> link.submit(new RevokeLease(5)).get(20, TimeUnit.SECONDS))
                .isNotNull();
        assertThat(
                        page(node.clientMetrics)
                                .value("etcd_network_peer_sent_failures_total" + TO_LEADER))
                .isPositive();
    }

    @Test
    void theNumberOfPeersIsBounded() {
        PeerMetrics metrics = new PeerMetrics();
        for (long id = 1; id <= 1000; id++) {
            metrics.of(id).sent(1);
        }
        Page page = page(metrics);
        String name = "etcd_network_peer_sent_bytes_total";
        assertThat(page.series().stream().filter(series -> series.startsWith(name))).hasSize(257);
        assertThat(page.value(name + "{To=\"0\"}")).isEqualTo(744);
    }

    private static Page page(PeerMetrics metrics) {
        MetricsText text = new MetricsText();
        metrics.writeTo(text);
        return Page.read(text.toString());
    }
}
