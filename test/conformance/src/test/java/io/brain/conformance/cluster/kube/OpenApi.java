package io.brain.conformance.cluster.kube;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Kubernetes' own description of its objects (OpenAPI 3), to check objects against without a
 * server: fields that do not exist or are missing, types, enumerations. Nothing else of JSON schema
 * is looked at. Immutable.
 */
final class OpenApi {

    private static final String REFERENCE = "#/components/schemas/";
    private static final String KINDS = "x-kubernetes-group-version-kind";

    private final JsonObject schemas;

    /**
     * The schemas of one group and version.
     *
     * @param document what a kube-apiserver answers on /openapi/v3/...
     */
    OpenApi(JsonObject document) {
        this.schemas = document.getAsJsonObject("components").getAsJsonObject("schemas");
    }

    /** Where a kube-apiserver describes the objects of this version, e.g. apps/v1. */
    static String path(String apiVersion) {
        return "/openapi/v3/" + (apiVersion.contains("/") ? "apis/" : "api/") + apiVersion;
    }

    /** What is wrong with an object, a line each; empty if nothing is. */
    List<String> problems(JsonObject object) {
        String apiVersion = object.get("apiVersion").getAsString();
        String kind = object.get("kind").getAsString();
        List<String> problems = new ArrayList<>();
        check(kind, object, schemaOf(apiVersion, kind), problems);
        return problems;
    }

    private JsonObject schemaOf(String apiVersion, String kind) {
        for (Map.Entry<String, JsonElement> schema : schemas.entrySet()) {
            JsonObject described = schema.getValue().getAsJsonObject();
            if (described.has(KINDS)) {
                for (JsonElement named : described.getAsJsonArray(KINDS)) {
                    if (isNamed(named.getAsJsonObject(), apiVersion, kind)) {
                        return described;
                    }
                }
            }
        }
        throw new AssertionError("no schema of " + apiVersion + " " + kind);
    }

    private static boolean isNamed(JsonObject named, String apiVersion, String kind) {
        String group = named.get("group").getAsString();
        String version = named.get("version").getAsString();
        return kind.equals(named.get("kind").getAsString())
                && apiVersion.equals(group.isEmpty() ? version : group + "/" + version);
    }

    private void check(String at, JsonElement value, JsonObject given, List<String> problems) {
        JsonObject schema = resolved(given);
        if (schema.has("oneOf")) { // a quantity, or a port by its number or name
            if (!value.isJsonPrimitive()) {
                problems.add(at + ": no plain value");
            }
        } else if (schema.has("type") && !isA(value, schema.get("type").getAsString())) {
            problems.add(at + ": no " + schema.get("type").getAsString());
        } else if (schema.has("enum") && !schema.getAsJsonArray("enum").contains(value)) {
            problems.add(at + ": not one of " + schema.get("enum"));
        } else if (value.isJsonObject()) {
            checkFields(at, value.getAsJsonObject(), schema, problems);
        } else if (value.isJsonArray()) {
            JsonArray items = value.getAsJsonArray();
            for (int i = 0; i < items.size(); i++) {
                check(at + "[" + i + "]", items.get(i), schema.getAsJsonObject("items"), problems);
            }
        }
    }

    private void checkFields(
            String at, JsonObject object, JsonObject schema, List<String> problems) {
        JsonObject known = schema.getAsJsonObject("properties");
        JsonElement others = schema.get("additionalProperties");
        object.entrySet()
                .forEach(
                        field -> {
                            String path = at + "." + field.getKey();
                            if (known != null && known.has(field.getKey())) {
                                JsonObject its = known.getAsJsonObject(field.getKey());
                                check(path, field.getValue(), its, problems);
                            } else if (others != null && others.isJsonObject()) {
                                check(path, field.getValue(), others.getAsJsonObject(), problems);
                            } else if (known != null) {
                                problems.add(path + ": no such field");
                            }
                        });
        if (schema.has("required")) {
            for (JsonElement name : schema.getAsJsonArray("required")) {
                if (!object.has(name.getAsString())) {
                    problems.add(at + "." + name.getAsString() + ": missing");
                }
            }
        }
    }

    /** Follows references, which may stand alone or in an "allOf" of one. */
    private JsonObject resolved(JsonObject schema) {
        JsonObject at = schema;
        while (at.has("$ref") || at.has("allOf")) {
            JsonObject one =
                    at.has("$ref") ? at : at.getAsJsonArray("allOf").get(0).getAsJsonObject();
            String name = one.get("$ref").getAsString().substring(REFERENCE.length());
            at = schemas.getAsJsonObject(name);
        }
        return at;
    }

    private static boolean isA(JsonElement value, String type) {
        return switch (type) {
            case "object" -> value.isJsonObject();
            case "array" -> value.isJsonArray();
            case "boolean" -> value.isJsonPrimitive() && value.getAsJsonPrimitive().isBoolean();
            case "string" -> value.isJsonPrimitive() && value.getAsJsonPrimitive().isString();
            case "number", "integer" ->
                    value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber();
            default -> true;
        };
    }
}
