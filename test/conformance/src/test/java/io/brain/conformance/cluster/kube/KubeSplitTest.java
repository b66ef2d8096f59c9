package io.brain.conformance.cluster.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.RangeRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A kube-apiserver that keeps events and leases in stores of their own. */
class KubeSplitTest extends KubeFixture {

    private static final String EVENTS = "/events";
    private static final String LEASES = "coordination.k8s.io/leases";
    private static final String LEASES_PATH =
            "/apis/coordination.k8s.io/v1/namespaces/split/leases";
    private static final long COMPACTED_SECONDS_MAX = 60;

    private SplitStore stores;

    @Override
    KubeStore openStore(Path directory) throws Exception {
        stores = new SplitStore(directory, EVENTS, LEASES);
        return stores;
    }

    @Override
    List<String> flags() {
        return List.of(stores.overrides(), "--etcd-compaction-interval=2s");
    }

    @Test
    void eventsAndLeasesAreInStoresOfTheirOwnAndEachIsCompacted() throws Exception {
        createNamespace("split");
        kube().create(core("split", "configmaps"), KubeObjects.configMap("m", "0")).orFail();
        kube().create(core("split", "events"), KubeObjects.event("e", "split")).orFail();
        JsonObject lease = KubeObjects.json("{'metadata':{'name':'l'},'spec':{}}");
        kube().create(LEASES_PATH, lease).orFail();

        assertThat(keys(stores, "/registry/configmaps/split/")).isEqualTo(1);
        assertThat(keys(stores, "/registry/events/")).isZero();
        assertThat(keys(stores, "/registry/leases/")).isZero();
        assertThat(keys(stores.of(EVENTS), "/registry/events/split/")).isEqualTo(1);
        assertThat(keys(stores.of(EVENTS), "/registry/configmaps/")).isZero();
        assertThat(keys(stores.of(LEASES), "/registry/leases/split/")).isEqualTo(1);
        assertThat(kube().text("/readyz?verbose"))
                .contains("[+]etcd ok", "[+]etcd-override-0 ok", "[+]etcd-override-1 ok");

        for (KubeStore store : List.of(stores, stores.of(EVENTS), stores.of(LEASES))) {
            awaitCompaction(store);
        }
        figure("stores that it compacts", 3);
    }

    private static void awaitCompaction(KubeStore store) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(COMPACTED_SECONDS_MAX);
        while (!keysOf(store, "compact_rev_key").contains("compact_rev_key")) {
            assertThat(System.nanoTime()).as("compaction of " + store).isLessThan(deadline);
            Thread.sleep(200);
        }
    }

    private static int keys(KubeStore store, String prefix) {
        return keysOf(store, prefix).size();
    }

    private static List<String> keysOf(KubeStore store, String prefix) {
        try (EtcdClient direct = new EtcdClient(store.target())) {
            RangeRequest all =
                    RangeRequest.newBuilder()
                            .setKey(Keys.of(prefix))
                            .setRangeEnd(Keys.prefixEnd(Keys.of(prefix)))
                            .setKeysOnly(true)
                            .build();
            return direct.range(all).getKvsList().stream()
                    .map(kv -> kv.getKey().toStringUtf8())
                    .toList();
        }
    }
}
