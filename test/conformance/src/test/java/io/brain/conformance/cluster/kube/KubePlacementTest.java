package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.cluster.transfer.PacedPuts;
import io.brain.conformance.cluster.transfer.Programs;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.ServerCommand;
import io.etcd.jetcd.api.HashKVRequest;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.RangeRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The config maps of a kube-apiserver, and keys of another client, move to a second store and back
 * under writes, once through a {@code kill -9} in the middle: no write fails while the server runs,
 * no informer lists again, and no watcher misses an event.
 */
@Isolated
class KubePlacementTest extends KubeFixture {
    private static final int INFORMERS = Form.size(10, 100);
    private static final int PUTS_PER_SECOND = 300;
    private static final int KEYS = Form.size(5_000, 50_000);
    private static final int VALUE_BYTES = 200;

    /** A move of so many takes longer than two commands. */
    private static final int KEYS_AT_KILL = Form.size(200_000, 1_000_000);

    private static final int WRITERS = 2;
    private static final int WRITER_OBJECTS = 50;
    private static final int SECONDS = Form.size(2, 20);
    private static final double GAP_MILLIS_MAX = Form.size(5_000, 1_000);
    private static final int MOVES_MAX = 5;
    private static final String CONFIG_MAPS = "/registry/configmaps/";
    private static final String PACED = "paced/";

    @BeforeAll
    static void requirePlacedStores() {
        Assumptions.assumeFalse(ServerCommand.underTest().isEtcd(), "etcd has one store");
    }

    @Override
    List<String> flags() {
        return List.of();
    }

    @Override
    KubeStore openStore(Path directory) throws Exception {
        return new PlacedStore(directory);
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void prefixesMoveToAnotherStoreAndBack() throws Exception {
        createNamespace("placed");
        String path = core("placed", "configmaps");
        StoreFollower follower =
                new StoreFollower(store().target(), kube().get(path).resourceVersion());
        startThread(follower);
        List<KubeInformer> informers = new ArrayList<>();
        for (int i = 0; i < INFORMERS; i++) {
            informers.add(new KubeInformer(kube(), path));
        }
        informers.forEach(KubeFixture::startThread);
        KubeWriters writers = KubeWriters.start(kube(), path, WRITERS, WRITER_OBJECTS);
        try (EtcdClient client = new EtcdClient(store().target())) {
            PacedPuts puts = new PacedPuts(client, KEYS, VALUE_BYTES, PUTS_PER_SECOND);
            puts.fill();
            long idle = System.nanoTime();
            puts.start();
            TimeUnit.SECONDS.sleep(SECONDS);
            long revision = client.revision();
            int hash = hash(client, revision);
            long began = System.nanoTime();
            figure("puts before", puts.times(idle, due -> due - began <= 0));
            // The paced keys move first, then others move while they are written.
            for (String[] move :
                    new String[][] {
                        {PACED, "hot"}, {CONFIG_MAPS, "hot"}, {CONFIG_MAPS, "base"}, {PACED, "base"}
                    }) {
                long start = System.nanoTime();
                place(move[0], move[1]);
                long end = System.nanoTime();
                TimeUnit.MILLISECONDS.sleep(500);
                figure(move[0] + " to " + move[1] + ", ms", (end - start) / 1_000_000);
                figure("puts meanwhile", puts.times(start, due -> due - end <= 0));
                writers.awaitSuccesses();
            }
            puts.stop();
            PacedPuts.Times times = puts.times(began, due -> true);
            figure("puts", times);
            figure("failed puts", puts.failed());
            assertThat(puts.failed()).isZero();
            assertThat(times.maxMillis()).as("longest gap").isLessThan(GAP_MILLIS_MAX);
            assertThat(hash(client, revision)).as("HashKV").isEqualTo(hash);
            figure("HashKV before and after", Integer.toUnsignedLong(hash));
        }
        figure("unanswered writes of the kube-apiserver", writers.unanswered());
        assertThat(writers.unanswered()).isZero();
        requireOneList(informers);
        killInTheMiddle(writers);
        writers.stop();
        assertThat(listed(path)).isEqualTo(writers.expected());
        assertThat(inStore(CONFIG_MAPS + "placed/")).isEqualTo(writers.expected());
        figure("acknowledged", expectAcknowledged(writers, follower));
        for (KubeInformer informer : informers) {
            awaitSame(informer, listed(path));
        }
        informers.forEach(KubeInformer::stop);
        requireOneList(informers);
        figure("informers, each with one list", INFORMERS);
        figure("watch errors", 0);
    }

    private void place(String prefix, String target) throws Exception {
        assertThat(Programs.brainDone("place", prefix, target, "--endpoints=" + store().urls()))
                .contains("moved " + prefix + " to " + target);
    }

    /** The server is killed in a move, which goes on when it starts again. */
    private void killInTheMiddle(KubeWriters writers) throws Exception {
        try (EtcdClient client = new EtcdClient(store().target())) {
            String endpoints = "--endpoints=" + store().urls();
            new PacedPuts(client, KEYS_AT_KILL, VALUE_BYTES, PUTS_PER_SECOND).fill();
            String to = "hot";
            String before = begun(to, endpoints);
            for (int i = 1; i < MOVES_MAX && !isMoving(before); i++) {
                // It was over before the second command looked.
                to = to.equals("hot") ? "base" : "hot";
                before = begun(to, endpoints);
            }
            assertThat(isMoving(before)).as(before).isTrue();
            store().kill();
            store().start();
            writers.awaitSuccesses();
            String listed = Programs.brainDone("place", endpoints);
            while (isMoving(listed)) {
                TimeUnit.MILLISECONDS.sleep(100);
                listed = Programs.brainDone("place", endpoints);
            }
            if (to.equals("hot")) { // not the store of all keys that are not placed
                assertThat(listed).contains("paced/ on hot\n");
            }
            RangeRequest paced =
                    RangeRequest.newBuilder()
                            .setKey(Keys.of(PACED))
                            .setRangeEnd(Keys.prefixEnd(Keys.of(PACED)))
                            .setCountOnly(true)
                            .build();
            long keys = client.range(paced).getCount();
            assertThat(keys).isEqualTo(KEYS_AT_KILL);
            figure("killed in a move", before.lines().filter(one -> one.contains(PACED)).toList());
            figure("keys after a kill -9 in a move", keys);
        }
    }

    /** Begins a move of the paced keys; what the server then says of all moves. */
    private static String begun(String to, String endpoints) throws Exception {
        var begun = Programs.brainDone("place", PACED, to, endpoints, "--no-wait");
        assertThat(begun).contains("moving");
        return Programs.brainDone("place", endpoints);
    }

    private static boolean isMoving(String listed) {
        return listed.contains("paced/ on hot, ") || listed.contains("paced/ on base, ");
    }

    private static void requireOneList(List<KubeInformer> informers) {
        assertThat(informers).extracting(KubeInformer::lists).containsOnly(1);
        assertThat(informers).extracting(KubeInformer::errors).containsOnly(0);
        assertThat(informers).allMatch(informer -> informer.failure().isEmpty());
    }

    private static int hash(EtcdClient client, long revision) {
        return MaintenanceGrpc.newBlockingStub(client.channel())
                .hashKV(HashKVRequest.newBuilder().setRevision(revision).build())
                .getHash();
    }
}
