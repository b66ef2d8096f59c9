package io.brain.transfer.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.SnapshotResponse;
import io.brain.transfer.etcd.PartFile;
import io.brain.transfer.etcd.StepListener;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots whose stream stops. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SourceClusterTest {
    private static final StepListener SILENT = (step, done, total) -> {};
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofHours(1);

    private static final ByteString DATA = ByteString.copyFromUtf8("data");
    private static final SnapshotResponse FIRST =
            SnapshotResponse.newBuilder().setBlob(DATA).setRemainingBytes(DATA.size()).build();

    @TempDir private Path directory;

    @Test
    void aStreamWithoutAFirstPieceEnds() {
        Stream stream = new Stream(List.of());
        assertThatThrownBy(() -> receive(stream, SHORT, LONG, SILENT))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("source: nothing of the snapshot arrived for ");
        assertThat(stream.canceled).isTrue();
    }

    @Test
    void aStreamThatStopsEnds() {
        Stream stream = new Stream(List.of(FIRST));
        assertThatThrownBy(() -> receive(stream, LONG, SHORT, SILENT))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("source: nothing of the snapshot arrived for ");
        assertThat(stream.canceled).isTrue();
    }

    @Test
    void onlyWaitingForTheStreamCounts() throws Exception {
        ByteString hash =
                ByteString.copyFrom(PartFile.sha256().digest(DATA.concat(DATA).toByteArray()));
        Stream stream =
                new Stream(
                        List.of(
                                FIRST,
                                SnapshotResponse.newBuilder().setBlob(DATA).build(),
                                SnapshotResponse.newBuilder().setBlob(hash).build()));
        StepListener slow =
                (step, done, total) -> {
                    try {
                        Thread.sleep(SHORT.multipliedBy(3).toMillis());
                    } catch (InterruptedException unexpected) {
                        throw new AssertionError(unexpected);
                    }
                };
        assertThat(receive(stream, SHORT, SHORT, slow)).isTrue();
    }

    private boolean receive(Stream stream, Duration first, Duration piece, StepListener listener)
            throws IOException {
        try (FileChannel file =
                FileChannel.open(
                        directory.resolve("snapshot"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE)) {
            return new SourceCluster("source", stream, 0, first, piece).receive(0, file, listener);
        }
    }

    /** Answers at once with these pieces; ends behind the third one, which is the hash. */
    private static final class Stream extends Channel {
        private final Queue<SnapshotResponse> pieces;
        private boolean ends;
        private boolean canceled;

        Stream(List<SnapshotResponse> pieces) {
            this.pieces = new ArrayDeque<>(pieces);
            this.ends = pieces.size() == 3;
        }

        @Override
        public String authority() {
            return "source";
        }

        @Override
        public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
            return new FakeCall<>() {
                @Override
                public void request(int count) {
                    for (int i = 0; i < count && !pieces.isEmpty(); i++) {
                        listener.onMessage(
                                method.parseResponse(pieces.remove().toByteString().newInput()));
                    }
                    if (ends && pieces.isEmpty()) {
                        ends = false;
                        listener.onClose(Status.OK, new Metadata());
                    }
                }

                @Override
                public void cancel(String message, Throwable cause) {
                    canceled = true;
                }
            };
        }
    }
}
