package io.brain.conformance.cluster.kube;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.stream.StreamSupport;

/** Small objects of each kind, and the fields of theirs that tests look at. */
final class KubeObjects {

    static final String CORE = "/api/v1";

    private KubeObjects() {}

    static JsonObject namespace(String name) {
        return json("{'metadata':{'name':'%s'}}".formatted(name));
    }

    /** A config map with one entry, "seq". */
    static JsonObject configMap(String name, String seq) {
        return json("{'metadata':{'name':'%s'},'data':{'seq':'%s'}}".formatted(name, seq));
    }

    static JsonObject secret(String name, String text) {
        return json("{'metadata':{'name':'%s'},'stringData':{'text':'%s'}}".formatted(name, text));
    }

    static JsonObject deployment(String name, int replicas) {
        return json(
                """
                {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': '%s'},
                 'spec': {'replicas': %d, 'selector': {'matchLabels': {'app': 'a'}},
                  'template': {'metadata': {'labels': {'app': 'a'}},
                   'spec': {'containers': [{'name': 'c', 'image': 'i'}]}}}}
                """
                        .formatted(name, replicas));
    }

    static JsonObject lease(String name, int transitions) {
        return json(
                "{'metadata':{'name':'%s'},'spec':{'leaseTransitions':%d}}"
                        .formatted(name, transitions));
    }

    static JsonObject event(String name, String namespace) {
        return json(
                """
                {'metadata': {'name': '%s'}, 'reason': 'Test', 'message': 'm', 'type': 'Normal',
                 'involvedObject': {'kind': 'Pod', 'name': 'p', 'namespace': '%s'}}
                """
                        .formatted(name, namespace));
    }

    /** A definition of the kind Widget, with a status of its own. */
    static JsonObject widgetDefinition() {
        return json(
                """
                {'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
                 'metadata': {'name': 'widgets.brain.test'},
                 'spec': {'group': 'brain.test', 'scope': 'Namespaced',
                  'names': {'plural': 'widgets', 'singular': 'widget', 'kind': 'Widget'},
                  'versions': [{'name': 'v1', 'served': true, 'storage': true,
                   'subresources': {'status': {}},
                   'schema': {'openAPIV3Schema': {'type': 'object', 'properties': {
                    'spec': {'type': 'object', 'properties': {'size': {'type': 'integer'}}},
                    'status': {'type': 'object', 'properties': {'phase': {'type': 'string'}}}
                   }}}}]}}
                """);
    }

    static JsonObject widget(String name, int size) {
        return json(
                """
                {'apiVersion': 'brain.test/v1', 'kind': 'Widget', 'metadata': {'name': '%s'},
                 'spec': {'size': %d}}
                """
                        .formatted(name, size));
    }

    static JsonObject deleteOptions(long resourceVersion) {
        return json("{'preconditions':{'resourceVersion':'%d'}}".formatted(resourceVersion));
    }

    /** JSON from a text, which may have single quotes. */
    static JsonObject json(String text) {
        return JsonParser.parseString(text).getAsJsonObject();
    }

    static JsonObject metadata(JsonObject object) {
        return object.getAsJsonObject("metadata");
    }

    static long resourceVersion(JsonObject object) {
        return metadata(object).get("resourceVersion").getAsLong();
    }

    static String name(JsonObject object) {
        return metadata(object).get("name").getAsString();
    }

    /** The "seq" of a config map. */
    static String seq(JsonObject configMap) {
        return configMap.getAsJsonObject("data").get("seq").getAsString();
    }

    /** The objects of a list. */
    static List<JsonObject> items(JsonObject list) {
        return StreamSupport.stream(list.getAsJsonArray("items").spliterator(), false)
                .map(item -> item.getAsJsonObject())
                .toList();
    }
}
