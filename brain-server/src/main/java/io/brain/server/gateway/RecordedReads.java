package io.brain.server.gateway;

import io.brain.proto.etcd.RangeRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Requests of the gateway in a file: on each line the body of one to /v3/kv/range. */
public final class RecordedReads {
    private RecordedReads() {}

    /**
     * Reads encoded RangeRequests; lines without text are skipped.
     *
     * @throws IOException if there are none, or a line is not one
     */
    public static List<byte[]> of(Path file) throws IOException {
        List<byte[]> requests = new ArrayList<>();
        int number = 0;
        for (String line : Files.readAllLines(file)) {
            number++;
            if (line.isBlank()) {
                continue;
            }
            try {
                byte[] json = line.getBytes(StandardCharsets.UTF_8);
                requests.add(
                        JsonDecoder.decode(json, RangeRequest.getDefaultInstance()).toByteArray());
            } catch (JsonException wrong) {
                throw new IOException(file + ", line " + number + ": " + wrong.getMessage(), wrong);
            }
        }
        if (requests.isEmpty()) {
            throw new IOException(file + " has no requests");
        }
        return requests;
    }
}
