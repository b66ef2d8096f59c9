package io.brain.conformance.cluster.durability;

import com.google.protobuf.InvalidProtocolBufferException;
import io.etcd.jetcd.api.PutResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the answers to puts in what a server wrote to its client sockets, by reading the HTTP/2
 * frames: settings, pings and window updates leave at any time and are no answers.
 */
final class AnswerTimes {

    private static final int FRAME_HEADER_BYTES = 9;
    private static final int DATA_FRAME = 0;
    private static final int GRPC_PREFIX_BYTES = 5;

    private AnswerTimes() {}

    /**
     * When each answer began to leave.
     *
     * @param calls in order of time
     * @param port the server's client port: its sockets are the client connections
     * @return the start of the write call that took the answer's first byte, by the revision that
     *     the answer carries
     */
    static Map<Long, Long> byRevision(List<SystemCall> calls, int port) {
        Map<String, Connection> connections = new LinkedHashMap<>();
        Map<Long, Long> times = new HashMap<>();
        for (SystemCall call : calls) {
            if (call.isSocket() && call.target().contains(":" + port + "->")) {
                connections
                        .computeIfAbsent(call.target(), target -> new Connection(times))
                        .wrote(call);
            }
        }
        return times;
    }

    private static final class Connection {
        private final Map<Long, Long> times;
        private final StringBuilder unread = new StringBuilder();
        private long unreadSinceNanos;

        Connection(Map<Long, Long> times) {
            this.times = times;
        }

        void wrote(SystemCall call) {
            if (unread.length() == 0) {
                unreadSinceNanos = call.startNanos();
            }
            unread.append(call.bytes());
            while (unread.length() >= FRAME_HEADER_BYTES) {
                int end = FRAME_HEADER_BYTES + number(0, 3);
                if (unread.length() < end) {
                    return;
                }
                if (number(3, 1) == DATA_FRAME) {
                    answered(unread.substring(FRAME_HEADER_BYTES, end));
                }
                unread.delete(0, end);
                unreadSinceNanos = call.startNanos();
            }
        }

        /** A put's answer is far smaller than a frame, so it never spans two. */
        private void answered(String data) {
            if (data.length() <= GRPC_PREFIX_BYTES) {
                return;
            }
            byte[] message =
                    data.substring(GRPC_PREFIX_BYTES).getBytes(StandardCharsets.ISO_8859_1);
            try {
                long revision = PutResponse.parseFrom(message).getHeader().getRevision();
                times.putIfAbsent(revision, unreadSinceNanos);
            } catch (InvalidProtocolBufferException notAPut) {
                // Another kind of answer, on another client's connection.
            }
        }

        private int number(int offset, int bytes) {
            int number = 0;
            for (int i = offset; i < offset + bytes; i++) {
                number = number << 8 | unread.charAt(i);
            }
            return number;
        }
    }
}
