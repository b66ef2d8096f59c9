package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.proto.etcd.KVGrpc;
import io.grpc.InternalMetadata;
import io.grpc.Metadata;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Headers of calls. */
final class HeaderCases {
    /** Takes bytes that are not ASCII. */
    private static final Metadata.Key<byte[]> CLIENT_VERSION =
            InternalMetadata.keyOf("client-api-version", new Unchanged());

    private HeaderCases() {}

    static List<Scenario> scenarios() {
        return List.of(
                scenario(
                        267,
                        "tokens do not matter while authentication is off, nor does a leader's"
                                + " wish",
                        s -> {
                            for (String key : List.of("token", "authorization", "hasleader")) {
                                Metadata metadata = new Metadata();
                                metadata.put(
                                        Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER),
                                        "true");
                                s.note(
                                        "with " + key,
                                        s.unrecorded()
                                                .with(metadata)
                                                .call(KVGrpc.getPutMethod(), put("a", key).build())
                                                .comparable());
                            }
                            s.range(get("a"));
                        }),
                scenario(
                        358,
                        "the first version of the client counts, and must be UTF-8",
                        s -> {
                            versions(s, "3.7");
                            versions(s, "\u00c3\u00a9");
                            versions(s, "\u00ff");
                            versions(s, "3", "\u00ff");
                            versions(s, "\u00ff", "3");
                            s.range(get("a"));
                        }));
    }

    /** Puts with these headers; each character is one byte. */
    private static void versions(Session s, String... versions) {
        Metadata metadata = new Metadata();
        for (String version : versions) {
            metadata.put(CLIENT_VERSION, version.getBytes(StandardCharsets.ISO_8859_1));
        }
        s.note(
                "with " + List.of(versions),
                s.unrecorded()
                        .with(metadata)
                        .call(KVGrpc.getPutMethod(), put("a", versions[0]).build())
                        .comparable());
    }

    private static final class Unchanged
            implements InternalMetadata.TrustedAsciiMarshaller<byte[]> {
        @Override
        public byte[] toAsciiString(byte[] value) {
            return value;
        }

        @Override
        public byte[] parseAsciiString(byte[] serialized) {
            return serialized;
        }
    }
}
