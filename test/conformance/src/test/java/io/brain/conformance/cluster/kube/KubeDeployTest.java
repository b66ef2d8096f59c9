package io.brain.conformance.cluster.kube;

import static io.brain.conformance.cluster.kube.KubeObjects.json;
import static io.brain.conformance.cluster.kube.KubeObjects.metadata;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonStreamParser;
import io.brain.conformance.server.Repository;
import io.brain.conformance.server.ServerCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of deploy/kubernetes, as a kube-apiserver sees them. */
class KubeDeployTest extends KubeFixture {

    private static final Path FILES = Repository.root().resolve("deploy/kubernetes");
    private static final List<String> SERVERS = List.of("cluster/cluster.yaml", "one/brain.yaml");

    @TempDir Path scratch;

    @Override
    List<String> flags() {
        // Nobody makes the accounts here that pods would have.
        return List.of("--disable-admission-plugins=ServiceAccount");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"one/brain.yaml", "cluster/cluster.yaml", "static-pod.yaml", "tikv.yaml"})
    void objectsHaveTheFieldsThatTheSchemaAsksFor(String file) throws Exception {
        Map<String, OpenApi> schemas = new TreeMap<>();
        for (JsonObject object : objects(file)) {
            String version = object.get("apiVersion").getAsString();
            if (!schemas.containsKey(version)) {
                schemas.put(version, new OpenApi(kube().get(OpenApi.path(version)).orFail()));
            }
            assertThat(schemas.get(version).problems(object)).as(file).isEmpty();
        }
        figure(file, "valid");
    }

    @Test
    void mistakesAreSeenByTheSchemaAndByTheServer() throws Exception {
        OpenApi apps = new OpenApi(kube().get(OpenApi.path("apps/v1")).orFail());
        JsonObject wrong = KubeObjects.deployment("wrong", 1);
        JsonObject spec = wrong.getAsJsonObject("spec");
        spec.addProperty("replica", 3);
        spec.addProperty("paused", "no");
        spec.remove("selector");
        assertThat(apps.problems(wrong))
                .containsExactlyInAnyOrder(
                        "Deployment.spec.replica: no such field",
                        "Deployment.spec.paused: no boolean",
                        "Deployment.spec.selector: missing");
        Path file = scratch.resolve("wrong.yaml");
        String service =
                Files.readString(FILES.resolve("cluster/cluster.yaml")).split("\n---\n", -1)[0];
        Files.writeString(file, service.replace("selector:", "selectors:"));
        assertThatThrownBy(() -> apply("default", file))
                .hasMessageContaining("unknown field \"spec.selectors\"");
    }

    @Test
    void backupIsStoredAsItWasAskedFor() throws Exception {
        createSecured("backup");
        assertThat(apply("backup", FILES.resolve("backup.yaml"))).doesNotContain("Warning");
        JsonObject job = spec("/apis/batch/v1/namespaces/backup/cronjobs/brain-backup");
        assertThat(job.get("concurrencyPolicy").getAsString()).isEqualTo("Forbid");
        JsonObject template =
                job.getAsJsonObject("jobTemplate")
                        .getAsJsonObject("spec")
                        .getAsJsonObject("template");
        assertThat(metadata(template).getAsJsonObject("labels").get("brain-client").getAsString())
                .isEqualTo("true");
        JsonObject pod = template.getAsJsonObject("spec");
        assertThat(pod.getAsJsonArray("volumes")).hasSize(2);
        assertThat(pod.getAsJsonObject("securityContext").get("runAsNonRoot").getAsBoolean())
                .isTrue();
    }

    @Test
    void clusterIsStoredAsItWasAskedFor() throws Exception {
        createSecured("brain");
        Path secrets = makeCertificates();
        assertThat(apply("brain", secrets).lines()).hasSize(3);
        assertThat(apply("brain", FILES.resolve("cluster/cluster.yaml"))).doesNotContain("Warning");
        JsonObject set = spec("/apis/apps/v1/namespaces/brain/statefulsets/brain");
        assertThat(set.get("replicas").getAsInt()).isEqualTo(3);
        assertThat(set.get("podManagementPolicy").getAsString()).isEqualTo("Parallel");
        assertThat(set.get("serviceName").getAsString()).isEqualTo("brain-peers");
        assertThat(set.has("volumeClaimTemplates")).isFalse();
        JsonObject pod = set.getAsJsonObject("template").getAsJsonObject("spec");
        assertThat(pod.get("terminationGracePeriodSeconds").getAsInt()).isEqualTo(30);
        for (String secret : secretsOf(pod)) {
            JsonObject stored = kube().get(core("brain", "secrets/" + secret)).orFail();
            assertThat(stored.get("type").getAsString()).isEqualTo("kubernetes.io/tls");
            assertThat(stored.getAsJsonObject("data").keySet())
                    .containsExactlyInAnyOrder("ca.crt", "tls.crt", "tls.key");
        }
        JsonObject peers = spec(core("brain", "services/brain-peers"));
        assertThat(peers.get("clusterIP").getAsString()).isEqualTo("None");
        assertThat(peers.get("publishNotReadyAddresses").getAsBoolean()).isTrue();
        JsonObject clients = spec(core("brain", "services/brain"));
        assertThat(clients.get("clusterIP").getAsString()).startsWith("10.0.0.");
        JsonObject budget = spec("/apis/policy/v1/namespaces/brain/poddisruptionbudgets/brain");
        assertThat(budget.get("maxUnavailable").getAsInt()).isEqualTo(1);
        JsonObject policy =
                spec("/apis/networking.k8s.io/v1/namespaces/brain/networkpolicies/brain");
        assertThat(policy.getAsJsonArray("ingress")).hasSize(3);
        JsonObject labels = metadata(set.getAsJsonObject("template")).getAsJsonObject("labels");
        assertThat(List.of(peers.get("selector"), clients.get("selector"))).containsOnly(labels);
        for (JsonObject selecting : List.of(set, budget)) {
            assertThat(matched(selecting, "selector")).isEqualTo(labels);
        }
        assertThat(matched(policy, "podSelector")).isEqualTo(labels);
        figure("cluster.yaml in the server", "as asked for");
    }

    @Test
    void podsOfTheServersAreLetInWhereTheStrictestStandardIsEnforced() throws Exception {
        createSecured("strict");
        for (String file : SERVERS) {
            JsonObject template =
                    only(file, "StatefulSet").getAsJsonObject("spec").getAsJsonObject("template");
            JsonObject pod = json("{'apiVersion':'v1','kind':'Pod'}");
            metadata(template).addProperty("name", file.substring(0, file.indexOf('/')));
            pod.add("metadata", metadata(template));
            JsonObject spec = template.getAsJsonObject("spec");
            withVolumeFor(spec, "data");
            pod.add("spec", spec);
            kube().create(core("strict", "pods"), pod).orFail();
            spec.getAsJsonObject("securityContext").addProperty("runAsNonRoot", false);
            metadata(template).addProperty("name", "refused");
            assertThat(kube().create(core("strict", "pods"), pod).status()).isEqualTo(403);
        }
        figure("pods under the restricted standard", SERVERS.size());
    }

    @ParameterizedTest
    @CsvSource({"one/brain.yaml,one,3", "tikv.yaml,tikv,9", "static-pod.yaml,kube-system,1"})
    void otherFilesAreTaken(String file, String namespace, int objects) throws Exception {
        if (!namespace.equals("kube-system")) {
            createSecured(namespace);
        }
        String output = apply(namespace, FILES.resolve(file));
        assertThat(output).doesNotContain("Warning");
        assertThat(output.lines().filter(line -> line.endsWith(" created"))).hasSize(objects);
    }

    @ParameterizedTest
    @CsvSource({"one,3", "cluster,5"})
    void basesOfKustomizeAreTheFilesAndPassADryRunOfTheServer(String base, int objects)
            throws Exception {
        String namespace = "base-" + base;
        createSecured(namespace);
        Path overlay = Files.createDirectories(scratch.resolve(base + "-overlay"));
        // A path of another directory has to be relative.
        Path way = overlay.toRealPath().relativize(FILES.resolve(base).toRealPath());
        Files.writeString(
                overlay.resolve("kustomization.yaml"),
                "namespace: %s\nresources: [%s]\n".formatted(namespace, way));
        String output =
                new Kubectl(apiServer())
                        .run(
                                "apply",
                                "--dry-run=server",
                                "--server-side",
                                "--validate=strict",
                                "-k",
                                overlay.toString());
        assertThat(output).doesNotContain("Warning");
        assertThat(output.lines().filter(line -> line.endsWith("(server dry run)")))
                .hasSize(objects);
        String set = "/apis/apps/v1/namespaces/" + namespace + "/statefulsets/brain";
        assertThat(kube().get(set).status()).isEqualTo(404);
        figure("kustomize " + base, "taken");
    }

    /** A bare server knows nothing of these kinds, so only their form is checked. */
    @Test
    void certificatesNameSecretsThatTheServersWant() throws Exception {
        apply("default", Path.of(getClass().getResource("/kube/cert-manager-kinds.yaml").toURI()));
        Kubectl kubectl = new Kubectl(apiServer());
        for (String kind : List.of("issuers", "certificates")) {
            kubectl.run("wait", "--for=condition=Established", "crd/" + kind + ".cert-manager.io");
        }
        List<String> made = new ArrayList<>();
        for (JsonObject object : objects("certificates.yaml")) {
            assertThat(metadata(object).get("namespace").getAsString()).isEqualTo("brain");
            JsonObject spec = object.getAsJsonObject("spec");
            if (spec.has("secretName")) {
                made.add(spec.get("secretName").getAsString());
            }
        }
        assertThat(made).contains("brain-peer-tls", "brain-storage-tls", "tikv-tls");
    }

    @Test
    void everyFlagOfTheFilesHasAnEffect() throws Exception {
        ServerCommand server = ServerCommand.underTest();
        String program = server.words().get(server.words().size() - 1);
        Assumptions.assumeTrue(Path.of(program).endsWith("brain"), "Brain's own flags");
        List<String> words = new ArrayList<>(server.words());
        words.add("--help");
        Process process = new ProcessBuilder(words).start();
        String help = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        String effective = help.substring(0, help.indexOf("without effect"));
        for (String file : SERVERS) {
            JsonArray arguments =
                    only(file, "StatefulSet")
                            .getAsJsonObject("spec")
                            .getAsJsonObject("template")
                            .getAsJsonObject("spec")
                            .getAsJsonArray("containers")
                            .get(0)
                            .getAsJsonObject()
                            .getAsJsonArray("args");
            for (JsonElement argument : arguments) {
                assertThat(effective).contains(argument.getAsString().split("=", 2)[0] + " ");
            }
        }
    }

    private Path makeCertificates() throws Exception {
        Path made = scratch.resolve("certificates");
        String script = FILES.resolve("make-certificates.sh").toString();
        Process process =
                new ProcessBuilder(script, made.toString(), "brain")
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        // openssl verify, once for each certificate
        assertThat(output.lines().filter(line -> line.endsWith(": OK"))).hasSize(3);
        return made.resolve("secrets.yaml");
    }

    /** A namespace with the strictest of Kubernetes' standards for pods. */
    private void createSecured(String name) throws Exception {
        JsonObject namespace = KubeObjects.namespace(name);
        JsonObject labels =
                json(
                        "{'pod-security.kubernetes.io/enforce':'restricted',"
                                + "'pod-security.kubernetes.io/warn':'restricted'}");
        metadata(namespace).add("labels", labels);
        kube().create("/api/v1/namespaces", namespace).orFail();
    }

    private String apply(String namespace, Path file) throws Exception {
        return new Kubectl(apiServer())
                .run("-n", namespace, "apply", "--validate=strict", "-f", file.toString());
    }

    /** The objects of a file, as JSON, unchanged. */
    private List<JsonObject> objects(String file) throws IOException, InterruptedException {
        String text =
                new Kubectl(apiServer())
                        .run(
                                "create",
                                "--dry-run=client",
                                "--validate=false",
                                "-o",
                                "json",
                                "-f",
                                FILES.resolve(file).toString());
        List<JsonObject> objects = new ArrayList<>();
        new JsonStreamParser(text).forEachRemaining(o -> objects.add(o.getAsJsonObject()));
        return objects;
    }

    private JsonObject only(String file, String kind) throws IOException, InterruptedException {
        return objects(file).stream()
                .filter(object -> object.get("kind").getAsString().equals(kind))
                .findFirst()
                .orElseThrow();
    }

    private JsonObject spec(String path) throws IOException, InterruptedException {
        return kube().get(path).orFail().getAsJsonObject("spec");
    }

    private static JsonObject matched(JsonObject spec, String selector) {
        return spec.getAsJsonObject(selector).getAsJsonObject("matchLabels");
    }

    private static List<String> secretsOf(JsonObject pod) {
        List<String> names = new ArrayList<>();
        for (JsonElement volume : pod.getAsJsonArray("volumes")) {
            JsonObject secret = volume.getAsJsonObject().getAsJsonObject("secret");
            if (secret != null) {
                names.add(secret.get("secretName").getAsString());
            }
        }
        assertThat(names).hasSize(2);
        return names;
    }

    /** A claim's volume comes from the controller, which is not here: an empty one in its place. */
    private static void withVolumeFor(JsonObject pod, String name) {
        for (JsonElement volume : pod.getAsJsonArray("volumes")) {
            if (volume.getAsJsonObject().get("name").getAsString().equals(name)) {
                return;
            }
        }
        pod.getAsJsonArray("volumes").add(json("{'name':'%s','emptyDir':{}}".formatted(name)));
    }
}
