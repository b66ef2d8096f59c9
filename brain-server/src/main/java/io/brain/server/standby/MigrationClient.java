package io.brain.server.standby;

import io.brain.proto.migration.CutoverRequest;
import io.brain.proto.migration.CutoverResponse;
import io.brain.proto.migration.MigrationGrpc;
import io.brain.proto.migration.StatusRequest;
import io.brain.proto.migration.StatusResponse;
import io.brain.transfer.verify.EndpointSide;
import io.grpc.Channel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Asks a standby, and moves its cluster to it. Blocks. */
public final class MigrationClient {
    private static final int STATUS_SECONDS = 30;
    private static final int CUTOVER_SECONDS = 600;

    private final String name;
    private final Channel channel;

    /**
     * A client; the caller closes the channel.
     *
     * @param name of the server, for messages
     */
    public MigrationClient(String name, Channel channel) {
        this.name = name;
        this.channel = channel;
    }

    /**
     * How far the server has followed.
     *
     * @throws IOException also if it follows no cluster
     */
    public Progress progress() throws IOException {
        StatusResponse status =
                EndpointSide.call(
                        name,
                        () -> stub(STATUS_SECONDS).status(StatusRequest.getDefaultInstance()));
        if (status.getSource() == 0) {
            throw new IOException(
                    name + ": the server follows no cluster; start it with --standby-of");
        }
        String trouble = status.getTrouble();
        return new Progress(
                status.getRevision(), status.getNewest(), trouble.isEmpty() ? null : trouble);
    }

    /**
     * Moves the cluster.
     *
     * @throws IOException if it has not moved
     */
    public Cutover.Report cutover() throws IOException {
        CutoverResponse done =
                EndpointSide.call(
                        name,
                        () -> stub(CUTOVER_SECONDS).cutover(CutoverRequest.getDefaultInstance()));
        return new Cutover.Report(
                done.getRevision(),
                Integer.toUnsignedLong(done.getHash()),
                done.getCompactRevision(),
                done.getGapMs());
    }

    private MigrationGrpc.MigrationBlockingStub stub(int seconds) {
        return MigrationGrpc.newBlockingStub(channel).withDeadlineAfter(seconds, TimeUnit.SECONDS);
    }
}
