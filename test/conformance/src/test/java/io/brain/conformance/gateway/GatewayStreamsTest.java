package io.brain.conformance.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.server.Server;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Streams of a real etcd's gateway and of Brain's. */
class GatewayStreamsTest extends GatewayFixture {
    /** What should not come would have come by then. */
    private static final long QUIET_MILLIS = 1_000;

    /** What is owed has come by then, also on a busy machine. */
    private static final Duration LINES_MAX = Duration.ofSeconds(30);

    /** Watches of keys from w0; FROM is a revision before all changes. */
    private static final List<String> WATCHES =
            List.of(
                    "{\"create_request\":{\"key\":\"dzA=\",\"start_revision\":FROM}}",
                    "{\"createRequest\":{\"key\":\"dzA=\",\"rangeEnd\":\"eA==\",\"startRevision\":\"FROM\"}}",
                    "{\"create_request\":{\"key\":\"dzE=\",\"start_revision\":FROM,\"prev_kv\":true,\"watch_id\":\"7\"}}",
                    "{\"create_request\":{\"key\":\"dzA=\",\"start_revision\":FROM,\"filters\":[\"NOPUT\"]}}",
                    "{\"create_request\":{\"key\":\"dzA=\",\"start_revision\":FROM,\"filters\":[1,0]}}",
                    "{\"create_request\":{\"key\":\"dzA=\"}}{\"create_request\":{\"key\":\"dzA=\",\"watch_id\":5}}",
                    "{\"create_request\":{\"key\":\"dzA=\"}}"
                            + " {\"cancel_request\":{\"watch_id\":0}}",
                    "{\"create_request\":{\"key\":\"dzA=\"}}{\"progress_request\":{}}",
                    "{\"create_request\":{\"key\":\"\"}}",
                    "{\"create_request\":{\"key\":\"dzA=\",\"range_end\":\"dw==\"}}");

    /** Watches of a fixed history: all lines, from several revisions and with all options. */
    @Test
    void watchesSendTheSameLines() throws Exception {
        for (Server server : List.of(etcd, brain)) {
            for (int i = 0; i < 20; i++) {
                String key =
                        Base64.getEncoder()
                                .encodeToString(("w" + i % 4).getBytes(StandardCharsets.UTF_8));
                JsonCall.post("/v3/kv/put", "{\"key\":\"" + key + "\",\"value\":\"AP8=\"}")
                        .send(server);
            }
            JsonCall.post("/v3/kv/deleterange", "{\"key\":\"dzA=\"}").send(server);
        }
        long from = revision() - 21;
        List<String> differences = new ArrayList<>();
        for (String watch : WATCHES) {
            JsonCall call = JsonCall.post("/v3/watch", watch.replace("FROM", Long.toString(from)));
            // etcd may answer a progress request before the creation of a watcher that precedes it.
            boolean anyOrder = watch.contains("progress_request");
            List<String> expected;
            List<String> actual;
            boolean same;
            try (Stream ofEtcd = new Stream(etcd, call);
                    Stream ofBrain = new Stream(brain, call)) {
                long deadline = System.nanoTime() + LINES_MAX.toNanos();
                do {
                    Thread.sleep(QUIET_MILLIS);
                    expected = ofEtcd.lines();
                    actual = ofBrain.lines();
                    same =
                            anyOrder
                                    ? sorted(expected).equals(sorted(actual))
                                    : expected.equals(actual);
                } while (!(same && !actual.isEmpty()) && System.nanoTime() < deadline);
            }
            if (!same) {
                differences.add(call.text() + "\netcd:  " + expected + "\nbrain: " + actual);
            }
            assertThat(actual).as(call.text()).isNotEmpty();
        }
        System.out.printf(
                "gateway: %d watches, %d differences%n", WATCHES.size(), differences.size());
        assertThat(differences).isEmpty();
    }

    private static List<String> sorted(List<String> lines) {
        return lines.stream().sorted().toList();
    }

    /** A stream, read by a thread of its own. */
    private static final class Stream implements AutoCloseable {
        private final InputStream in;
        private final Thread reader = new Thread(this::read, "gateway-stream");
        private final ByteArrayOutputStream text = new ByteArrayOutputStream();

        Stream(Server server, JsonCall call) throws IOException, InterruptedException {
            this.in =
                    JsonCall.CLIENT.send(call.request(server), BodyHandlers.ofInputStream()).body();
            reader.setDaemon(true);
            reader.start();
        }

        /** The lines that have arrived. */
        List<String> lines() {
            synchronized (text) {
                return JsonAnswer.lines(text.toString(StandardCharsets.UTF_8));
            }
        }

        private void read() {
            byte[] piece = new byte[1 << 16];
            try {
                for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                    synchronized (text) {
                        text.write(piece, 0, count);
                    }
                }
            } catch (IOException closed) {
                // Nothing more is wanted.
            }
        }

        @Override
        public void close() throws IOException {
            in.close(); // ends the reader
        }
    }

    private long revision() throws Exception {
        long last = 0;
        for (Server server : List.of(etcd, brain)) {
            String body =
                    new String(
                            JsonCall.post("/v3/kv/range", "{\"key\":\"YQ==\"}").send(server).body(),
                            StandardCharsets.UTF_8);
            Matcher revision = Pattern.compile("\"revision\":\"(\\d+)\"").matcher(body);
            assertThat(revision.find()).isTrue();
            long next = Long.parseLong(revision.group(1));
            assertThat(last == 0 || last == next).as("same histories").isTrue();
            last = next;
        }
        return last;
    }

    /** The blobs of a snapshot are a database and its digest, in lines of the same form. */
    @Test
    void aSnapshotIsADatabaseWithItsDigest() throws Exception {
        for (Server server : List.of(etcd, brain)) {
            HttpResponse<byte[]> answer =
                    JsonCall.post("/v3/maintenance/snapshot", "{}").send(server);
            assertThat(answer.statusCode()).isEqualTo(200);
            java.security.MessageDigest digest = java.security.MessageDigest.getInstance("SHA-256");
            byte[] last = {};
            for (String line : new String(answer.body(), StandardCharsets.UTF_8).split("\n", -1)) {
                Matcher blob =
                        Pattern.compile(
                                        "\\{\"result\":\\{(\"remaining_bytes\":\"\\d+\","
                                                + " ?)?\"blob\":\"([^\"]+)\","
                                                + " ?\"version\":\"3.7.0\"\\}\\}")
                                .matcher(line);
                if (!line.isEmpty()) {
                    assertThat(blob.matches())
                            .as(line.substring(0, Math.min(100, line.length())))
                            .isTrue();
                    digest.update(last);
                    last = Base64.getDecoder().decode(blob.group(2));
                }
            }
            assertThat(digest.digest()).isEqualTo(last);
        }
    }
}
