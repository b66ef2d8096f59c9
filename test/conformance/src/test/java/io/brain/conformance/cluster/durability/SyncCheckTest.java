package io.brain.conformance.cluster.durability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.etcd.jetcd.api.PutResponse;
import io.etcd.jetcd.api.ResponseHeader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The proof must refuse every way to answer too early, and read strace's lines as they are. */
class SyncCheckTest {

    private static final String WAL = "/data/wal/000004.log";
    private static final String SOCKET = "TCP:[127.0.0.1:2379->127.0.0.1:50000]";
    private static final String MARKER = SyncCheck.marker(7);
    private static final Map<Long, String> PUT = Map.of(12L, MARKER);

    private final List<SystemCall> calls = new ArrayList<>();

    @Test
    void answerAfterTheSyncIsProven() {
        wrote(10, WAL, "header" + MARKER + "rest");
        synced(20, 30, WAL);
        wrote(40, SOCKET, answer(12));
        assertThat(report().failures()).isEmpty();
        assertThat(report().syncs()).isEqualTo(1);
    }

    @Test
    void answerDuringTheSyncIsTooEarly() {
        wrote(10, WAL, MARKER);
        synced(20, 30, WAL);
        wrote(25, SOCKET, answer(12));
        assertThat(report().failures()).hasSize(1);
    }

    @Test
    void syncThatBeganBeforeTheWriteProvesNothing() {
        synced(5, 30, WAL);
        wrote(10, WAL, MARKER);
        wrote(40, SOCKET, answer(12));
        assertThat(report().failures()).singleElement().asString().contains("was synced");
    }

    @Test
    void syncOfAnotherFileProvesNothing() {
        wrote(10, WAL, MARKER);
        synced(20, 30, "/data/db");
        wrote(40, SOCKET, answer(12));
        assertThat(report().failures()).hasSize(1);
    }

    @Test
    void failedSyncProvesNothing() {
        wrote(10, WAL, MARKER);
        calls.add(new SystemCall("fdatasync", WAL, "", -1, 20, 30));
        wrote(40, SOCKET, answer(12));
        assertThat(report().failures()).hasSize(1);
    }

    @Test
    void valueThatWasNeverWrittenIsAFailure() {
        synced(20, 30, WAL);
        wrote(40, SOCKET, answer(12));
        assertThat(report().failures()).singleElement().asString().contains("no file");
    }

    @Test
    void markerAndAnswerMayBeSplitOverCalls() {
        wrote(10, WAL, MARKER.substring(0, 9));
        wrote(12, WAL, MARKER.substring(9));
        synced(20, 30, WAL);
        String answer = answer(12);
        wrote(40, SOCKET, "\0\0\4\10\0\0\0\0\0" + "\0\0\0\1" + answer.substring(0, 11));
        wrote(45, SOCKET, answer.substring(11));
        assertThat(report().failures()).isEmpty();
    }

    @Test
    void answerBeginsWithItsFirstByte() {
        wrote(10, WAL, MARKER);
        synced(20, 30, WAL);
        String answer = answer(12);
        wrote(25, SOCKET, answer.substring(0, 11));
        wrote(45, SOCKET, answer.substring(11));
        assertThat(report().failures()).hasSize(1);
    }

    @Test
    void linesOfStraceAreUnderstood() {
        SystemCall write =
                SystemCall.parse(
                                "1795247056.986268929 writev(11<\\x2f\\x61>, [{iov_base=\"\\x41"
                                        + "\\x42\", iov_len=2}, {iov_base=\"\\x43\", iov_len=1}],"
                                        + " 2) = 2 <0.000036154>")
                        .orElseThrow();
        assertThat(write)
                .isEqualTo(
                        new SystemCall(
                                "writev",
                                "/a",
                                "AB",
                                2,
                                1795247056_986268929L,
                                1795247056_986305083L));
        SystemCall sync =
                SystemCall.parse("1.000000000 fdatasync(5<\\x2f\\x61>) = 0 <0.000000009>")
                        .orElseThrow();
        assertThat(sync)
                .isEqualTo(
                        new SystemCall("fdatasync", "/a", "", 0, 1_000_000_000L, 1_000_000_009L));
        SystemCall failed =
                SystemCall.parse(
                                "1.000000000 fsync(5<\\x2f\\x61>) = -1 EIO (Input/output error)"
                                        + " <0.000000009>")
                        .orElseThrow();
        assertThat(failed.result()).isEqualTo(-1);
        assertThat(SystemCall.parse("1.000000000 +++ exited with 0 +++")).isEmpty();
        assertThat(SystemCall.parse("1.000000000 fsync(5<\\x2f> <unfinished ...>")).isEmpty();
    }

    @Test
    void longBuffersMayBeCutInFilesButNotInConnections() {
        String cut =
                "[{iov_base=\"\\x41\"..., iov_len=9}, {iov_base=\"\\x42\", iov_len=1}], 2) = 10";
        SystemCall file =
                SystemCall.parse("1.000000000 writev(5<\\x2f\\x61>, " + cut + " <0.000000009>")
                        .orElseThrow();
        assertThat(file.bytes()).isEqualTo("A\0B");
        assertThatThrownBy(
                        () ->
                                SystemCall.parse(
                                        "1.000000000 writev(5<"
                                                + SOCKET
                                                + ">, "
                                                + cut
                                                + " <0.000000009>"))
                .hasMessageContaining("has cut an answer");
    }

    private SyncReport report() {
        calls.sort(Comparator.comparingLong(SystemCall::startNanos));
        return new SyncCheck(calls, "/data").check(PUT, 2379);
    }

    private void wrote(long at, String target, String bytes) {
        calls.add(new SystemCall("write", target, bytes, bytes.length(), at, at + 1));
    }

    private void synced(long from, long to, String path) {
        calls.add(new SystemCall("fdatasync", path, "", 0, from, to));
    }

    /** One DATA frame of stream 1 with a put's answer. */
    private static String answer(long revision) {
        byte[] message =
                PutResponse.newBuilder()
                        .setHeader(ResponseHeader.newBuilder().setRevision(revision))
                        .build()
                        .toByteArray();
        String grpc =
                "\0\0\0\0"
                        + (char) message.length
                        + new String(message, StandardCharsets.ISO_8859_1);
        return "\0\0" + (char) grpc.length() + "\0\0\0\0\0\1" + grpc;
    }
}
