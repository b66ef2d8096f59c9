package io.brain.conformance.cluster.kube;

import static io.brain.conformance.cluster.kube.KubeObjects.CORE;
import static io.brain.conformance.cluster.kube.KubeObjects.items;
import static io.brain.conformance.cluster.kube.KubeObjects.json;
import static io.brain.conformance.cluster.kube.KubeObjects.metadata;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.RangeRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class KubeResourcesTest extends KubeFixture {

    @Override
    List<String> flags() {
        return List.of();
    }

    @Test
    void serverIsReadyAndAlive() throws Exception {
        assertThat(kube().text("/readyz")).isEqualTo("ok");
        assertThat(kube().text("/livez")).isEqualTo("ok");
        assertThat(kube().text("/readyz?verbose"))
                .contains("[+]etcd ok", "[+]etcd-readiness ok", "[+]informer-sync ok");
        figure("readyz", "ok");
    }

    @Test
    void namespaceLivesUntilItIsFinalized() throws Exception {
        createNamespace("short-lived");
        String path = CORE + "/namespaces/short-lived";
        JsonObject namespace = kube().get(path).orFail();
        assertThat(namespace.getAsJsonObject("status").get("phase").getAsString())
                .isEqualTo("Active");
        kube().patch(path, json("{'metadata':{'labels':{'team':'a'}}}")).orFail();
        List<JsonObject> found =
                items(kube().get(CORE + "/namespaces?labelSelector=team%3Da").orFail());
        assertThat(found).extracting(KubeObjects::name).containsExactly("short-lived");
        JsonObject dying = kube().delete(path).orFail();
        assertThat(dying.getAsJsonObject("status").get("phase").getAsString())
                .isEqualTo("Terminating");
        dying.getAsJsonObject("spec").remove("finalizers");
        kube().replace(path + "/finalize", dying).orFail();
        assertThat(kube().get(path).status()).isEqualTo(404);
    }

    @Test
    void configMapChangesOnlyAtItsCurrentVersion() throws Exception {
        createNamespace("maps");
        String path = core("maps", "configmaps");
        KubeClient.Answer created = kube().create(path, KubeObjects.configMap("a", "1"));
        assertThat(created.status()).isEqualTo(201);
        assertThat(kube().create(path, KubeObjects.configMap("a", "1")).status()).isEqualTo(409);
        JsonObject stale = created.body();
        JsonObject patched = kube().patch(path + "/a", json("{'data':{'seq':'2'}}")).orFail();
        assertThat(KubeObjects.resourceVersion(patched)).isGreaterThan(created.resourceVersion());
        assertThat(kube().replace(path + "/a", stale).status()).isEqualTo(409);
        patched.getAsJsonObject("data").addProperty("seq", "3");
        KubeClient.Answer replaced = kube().replace(path + "/a", patched);
        assertThat(replaced.resourceVersion()).isGreaterThan(KubeObjects.resourceVersion(patched));
        assertThat(KubeObjects.seq(kube().get(path + "/a").orFail())).isEqualTo("3");
        assertThat(kube().delete(path + "/a", created.resourceVersion()).status()).isEqualTo(409);
        kube().delete(path + "/a", replaced.resourceVersion()).orFail();
        assertThat(kube().get(path + "/a").status()).isEqualTo(404);
    }

    @Test
    void secretIsStoredAtItsResourceVersion() throws Exception {
        createNamespace("secrets");
        KubeClient.Answer created =
                kube().create(core("secrets", "secrets"), KubeObjects.secret("s", "hidden"));
        try (EtcdClient store = new EtcdClient(store().target())) {
            var range =
                    store.range(
                            RangeRequest.newBuilder()
                                    .setKey(Keys.of("/registry/secrets/secrets/s"))
                                    .build());
            assertThat(range.getKvsCount()).isEqualTo(1);
            assertThat(range.getKvs(0).getModRevision()).isEqualTo(created.resourceVersion());
            assertThat(range.getKvs(0).getValue().toStringUtf8()).contains("hidden");
        }
    }

    @Test
    void deploymentScalesThroughItsSubresource() throws Exception {
        createNamespace("apps");
        String path = "/apis/apps/v1/namespaces/apps/deployments";
        kube().create(path, KubeObjects.deployment("d", 2)).orFail();
        JsonObject scale = kube().get(path + "/d/scale").orFail();
        scale.getAsJsonObject("spec").addProperty("replicas", 7);
        kube().replace(path + "/d/scale", scale).orFail();
        kube().patch(path + "/d/status", json("{'status':{'replicas':7}}")).orFail();
        JsonObject deployment = kube().get(path + "/d").orFail();
        assertThat(deployment.getAsJsonObject("spec").get("replicas").getAsInt()).isEqualTo(7);
        assertThat(deployment.getAsJsonObject("status").get("replicas").getAsInt()).isEqualTo(7);
        assertThat(metadata(deployment).get("generation").getAsInt()).isEqualTo(2);
        assertThat(items(kube().get("/apis/apps/v1/deployments").orFail())).hasSize(1);
        kube().delete(path + "/d").orFail();
        assertThat(kube().get(path + "/d").status()).isEqualTo(404);
    }

    @Test
    void rivalsForALeaseLoseNoUpdate() throws Exception {
        createNamespace("election");
        String path = "/apis/coordination.k8s.io/v1/namespaces/election/leases";
        kube().create(path, KubeObjects.lease("l", 0)).orFail();
        List<Integer> conflicts =
                inParallel(
                        8,
                        rival -> {
                            int lost = 0;
                            for (int won = 0; won < 10; ) {
                                if (takeTurn(path + "/l")) {
                                    won++;
                                } else {
                                    lost++;
                                }
                            }
                            return lost;
                        });
        JsonObject lease = kube().get(path + "/l").orFail();
        assertThat(transitions(lease)).isEqualTo(80);
        figure("lease turns", 80);
        figure("conflicts", conflicts.stream().mapToInt(n -> n).sum());
    }

    @Test
    void customResourcesLiveAndDieWithTheirDefinition() throws Exception {
        createNamespace("custom");
        String definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        kube().create(definitions, KubeObjects.widgetDefinition()).orFail();
        String path = "/apis/brain.test/v1/namespaces/custom/widgets";
        awaitServed(path);
        KubeWatch watch = kube().watch(path, kube().get(path).resourceVersion());
        for (int i = 0; i < 20; i++) {
            kube().create(path, KubeObjects.widget("w" + i, i)).orFail();
        }
        kube().patch(path + "/w3/status", json("{'status':{'phase':'Ready'}}")).orFail();
        assertThat(kube().create(path, KubeObjects.json("{'metadata':{'name':'bad'}}")).status())
                .isEqualTo(400);
        assertThat(items(kube().get(path).orFail())).hasSize(20);
        kube().delete(path + "/w0").orFail();
        List<KubeWatch.Event> events = watch.take(22);
        watch.close();
        assertThat(events.get(20).type()).isEqualTo("MODIFIED");
        assertThat(events.get(21).type()).isEqualTo("DELETED");
        kube().delete(definitions + "/widgets.brain.test").orFail();
        awaitGone(definitions + "/widgets.brain.test");
        try (EtcdClient store = new EtcdClient(store().target())) {
            var prefix = Keys.of("/registry/brain.test/");
            var left =
                    store.range(
                            RangeRequest.newBuilder()
                                    .setKey(prefix)
                                    .setRangeEnd(Keys.prefixEnd(prefix))
                                    .setCountOnly(true)
                                    .build());
            assertThat(left.getCount()).isZero();
        }
        figure("custom resources", 20);
    }

    @Test
    void everydayCommandsOfKubectlWork() throws Exception {
        Kubectl kubectl = new Kubectl(apiServer());
        assertThat(kubectl.run("version")).contains("Server Version: v1.36.3");
        kubectl.run("create", "namespace", "ctl");
        kubectl.run("-n", "ctl", "create", "configmap", "c", "--from-literal=k=v");
        assertThat(kubectl.run("-n", "ctl", "get", "configmap", "c", "-o", "jsonpath={.data.k}"))
                .isEqualTo("v");
        kubectl.run("-n", "ctl", "create", "deployment", "d", "--image=i", "--replicas=3");
        kubectl.run("-n", "ctl", "scale", "deployment", "d", "--replicas=5");
        kubectl.run("-n", "ctl", "label", "deployment", "d", "tier=web");
        assertThat(kubectl.run("-n", "ctl", "get", "deployments", "-l", "tier=web", "-o", "name"))
                .contains("deployment.apps/d");
        assertThat(kubectl.run("-n", "ctl", "describe", "deployment", "d")).contains("5 desired");
        kubectl.run("-n", "ctl", "delete", "deployment", "d", "--wait=false");
        assertThat(kubectl.run("get", "--raw", "/readyz")).isEqualTo("ok");
        figure("kubectl", "ok");
    }

    /** Reads the lease and counts it up by one; false when somebody else was faster. */
    private boolean takeTurn(String path) throws Exception {
        JsonObject lease = kube().get(path).orFail();
        lease.getAsJsonObject("spec").addProperty("leaseTransitions", transitions(lease) + 1);
        KubeClient.Answer answer = kube().replace(path, lease);
        if (answer.status() != 409) {
            answer.orFail();
        }
        return answer.isSuccess();
    }

    private static int transitions(JsonObject lease) {
        return lease.getAsJsonObject("spec").get("leaseTransitions").getAsInt();
    }

    private void awaitServed(String path) throws Exception {
        while (!kube().get(path).isSuccess()) {
            Thread.sleep(100);
        }
    }

    private void awaitGone(String path) throws Exception {
        while (kube().get(path).status() != 404) {
            Thread.sleep(100);
        }
    }
}
