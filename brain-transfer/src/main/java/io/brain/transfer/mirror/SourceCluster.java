package io.brain.transfer.mirror;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.AlarmMember;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthStatusRequest;
import io.brain.proto.etcd.AuthStatusResponse;
import io.brain.proto.etcd.AuthenticateRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.SnapshotRequest;
import io.brain.proto.etcd.SnapshotResponse;
import io.brain.proto.etcd.StatusRequest;
import io.brain.transfer.backup.BackedUpCluster;
import io.brain.transfer.etcd.PartFile;
import io.brain.transfer.etcd.StepListener;
import io.brain.transfer.verify.EndpointSide;
import io.brain.transfer.verify.Side;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.BlockingClientCall;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A running cluster of Brain or etcd 3.4 to 3.7, over its API. Blocks. Safe for use by several
 * threads.
 */
public final class SourceCluster implements BackedUpCluster {
    /**
     * The first half of the ID of the member that the alarm of a fence names; the second half tells
     * who fences. No member has such an ID, so that a fence is told from an alarm that etcd raises.
     */
    private static final long FENCE_MARK = 0x6272_6169L;

    /**
     * Before it, Brain writes all data into a file, at some 10 MiB/s while clients write: 800 GiB
     * in this time. The call may also wait for other snapshots.
     */
    private static final Duration FIRST_PIECE_WAIT = Duration.ofDays(1);

    private static final Duration PIECE_WAIT = Duration.ofSeconds(60);

    private final String name;
    private final Channel channel;
    private final EndpointSide side;
    private final long fenceMember;
    private final Duration firstPieceWait;
    private final Duration pieceWait;

    /**
     * A cluster that operators fence; the caller closes the channel.
     *
     * @param name for messages
     */
    public SourceCluster(String name, Channel channel) {
        this(name, channel, 0);
    }

    /**
     * A cluster; the caller closes the channel.
     *
     * @param owner of the fence
     */
    public SourceCluster(String name, Channel channel, int owner) {
        this(name, channel, owner, FIRST_PIECE_WAIT, PIECE_WAIT);
    }

    /**
     * A cluster.
     *
     * @param firstPieceWait the longest wait for the first piece of a snapshot
     * @param pieceWait for each of the others
     */
    SourceCluster(
            String name, Channel channel, int owner, Duration firstPieceWait, Duration pieceWait) {
        this.fenceMember = FENCE_MARK << Integer.SIZE | Integer.toUnsignedLong(owner);
        this.name = name;
        this.channel = channel;
        this.side = new EndpointSide(name, channel, 0);
        this.firstPieceWait = firstPieceWait;
        this.pieceWait = pieceWait;
    }

    /** For messages. */
    public String name() {
        return name;
    }

    @Override
    public long id() throws IOException {
        return EndpointSide.call(
                        name, () -> maintenance().status(StatusRequest.getDefaultInstance()))
                .getHeader()
                .getClusterId();
    }

    /** The newest revision; no write that was answered before is newer. */
    public long newestRevision() throws IOException {
        return side.newestRevision();
    }

    /** Its keys. */
    public EndpointSide side() {
        return side;
    }

    /**
     * etcd's HashKV.
     *
     * @param revision not compacted, and not newer than the newest
     */
    public Side.History hash(long revision) throws IOException {
        return side.history(revision);
    }

    @Override
    public boolean receive(long after, FileChannel file, StepListener listener) throws IOException {
        SnapshotRequest request = SnapshotRequest.newBuilder().setAfterRevision(after).build();
        BlockingClientCall<?, SnapshotResponse> call =
                MaintenanceGrpc.newBlockingV2Stub(channel).snapshot(request);
        try {
            copy(call, file, listener);
            return true;
        } catch (StatusException failed) {
            if (after > 0 && failed.getStatus().getCode() == Status.Code.OUT_OF_RANGE) {
                return false;
            }
            throw EndpointSide.failure(name, failed.getStatus().asRuntimeException());
        } finally {
            call.cancel("not needed", null); // without effect after its end
        }
    }

    private void copy(
            BlockingClientCall<?, SnapshotResponse> call, FileChannel file, StepListener listener)
            throws IOException, StatusException {
        MessageDigest digest = PartFile.sha256();
        long total = -1;
        long done = 0;
        ByteString hash = ByteString.EMPTY;
        SnapshotResponse response = next(call, firstPieceWait);
        for (; response != null; response = next(call, pieceWait)) {
            ByteString piece = response.getBlob();
            total = total < 0 ? response.getRemainingBytes() + piece.size() : total;
            if (done == total) {
                hash = hash.concat(piece);
                continue;
            }
            ByteBuffer bytes = piece.asReadOnlyByteBuffer();
            digest.update(bytes.duplicate());
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            done += piece.size();
            listener.progress("receive", done, total);
        }
        if (done != total || !hash.equals(ByteString.copyFrom(digest.digest()))) {
            throw new IOException("the snapshot arrived incomplete or damaged; try again");
        }
    }

    /** Null at the end. */
    private SnapshotResponse next(BlockingClientCall<?, SnapshotResponse> call, Duration wait)
            throws IOException, StatusException {
        try {
            return call.read(wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException silent) {
            throw new IOException(
                    "%s: nothing of the snapshot arrived for %d s"
                            .formatted(name, wait.toSeconds()),
                    silent);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** IDs of all leases. */
    public List<Long> leases() throws IOException {
        return EndpointSide.call(
                        name, () -> lease().leaseLeases(LeaseLeasesRequest.getDefaultInstance()))
                .getLeasesList()
                .stream()
                .map(LeaseStatus::getID)
                .toList();
    }

    /** Seconds that a lease was granted for; -1 if there is no such lease. */
    public long grantedTtl(long lease) throws IOException {
        LeaseTimeToLiveRequest request = LeaseTimeToLiveRequest.newBuilder().setID(lease).build();
        LeaseTimeToLiveResponse response =
                EndpointSide.call(name, () -> lease().leaseTimeToLive(request));
        return response.getGrantedTTL() > 0 ? response.getGrantedTTL() : -1;
    }

    /** Counts the changes of users and roles; -1: etcd 3.4 does not say. */
    public long authRevision() throws IOException {
        AuthStatusResponse status = authStatus();
        return status == null ? -1 : status.getAuthRevision();
    }

    /** True if authentication is enabled. */
    public boolean isAuthEnabled() throws IOException {
        AuthStatusResponse status = authStatus();
        if (status != null) {
            return status.getEnabled();
        }
        try { // nobody can sign in; etcd 3.4 says why
            var unused = auth().authenticate(AuthenticateRequest.getDefaultInstance());
            return true;
        } catch (StatusRuntimeException failed) {
            return switch (failed.getStatus().getCode()) {
                case FAILED_PRECONDITION -> false;
                case INVALID_ARGUMENT -> true;
                default -> throw EndpointSide.failure(name, failed);
            };
        }
    }

    /** Null: etcd 3.4 does not say. */
    private AuthStatusResponse authStatus() throws IOException {
        try {
            return auth().authStatus(AuthStatusRequest.getDefaultInstance());
        } catch (StatusRuntimeException failed) {
            if (failed.getStatus().getCode() == Status.Code.UNIMPLEMENTED) {
                return null;
            }
            throw EndpointSide.failure(name, failed);
        }
    }

    /**
     * Makes the cluster refuse all writes, by etcd's alarm CORRUPT: puts, deletes, transactions
     * that write, compactions, grants, revocations and expiries of leases. It has one place among
     * the writes, and lasts when the servers restart. Reads, watches, snapshots, hashes, KeepAlive
     * and changes of users go on. A repetition changes nothing. After a failure the fence may be
     * there.
     *
     * @throws IOException also if etcd itself has raised this alarm, or the cluster has another
     *     owner's fence
     */
    public void fence() throws IOException {
        for (AlarmMember alarm : raised()) {
            if (alarm.getMemberID() != fenceMember) {
                throw new IOException(
                        "%s: the alarm CORRUPT of member %x was raised before"
                                .formatted(name, alarm.getMemberID()));
            }
        }
        alarms(AlarmRequest.AlarmAction.ACTIVATE, fenceMember);
    }

    /** Lifts this owner's fence, if there is one. */
    public void unfence() throws IOException {
        alarms(AlarmRequest.AlarmAction.DEACTIVATE, fenceMember);
    }

    /** The fences of all owners. */
    List<Long> fences() throws IOException {
        return raised().stream()
                .map(AlarmMember::getMemberID)
                .filter(member -> member >>> Integer.SIZE == FENCE_MARK)
                .toList();
    }

    /** Lifts fences of any owners. */
    void lift(List<Long> fences) throws IOException {
        for (long member : fences) {
            alarms(AlarmRequest.AlarmAction.DEACTIVATE, member);
        }
    }

    /** Raises fences that were lifted. */
    void raise(List<Long> fences) throws IOException {
        for (long member : fences) {
            alarms(AlarmRequest.AlarmAction.ACTIVATE, member);
        }
    }

    /** True if there is this owner's fence. */
    public boolean isFenced() throws IOException {
        return raised().stream().anyMatch(alarm -> alarm.getMemberID() == fenceMember);
    }

    private List<AlarmMember> raised() throws IOException {
        return alarms(AlarmRequest.AlarmAction.GET, 0);
    }

    private List<AlarmMember> alarms(AlarmRequest.AlarmAction action, long member)
            throws IOException {
        AlarmRequest request =
                AlarmRequest.newBuilder()
                        .setAction(action)
                        .setMemberID(member)
                        .setAlarm(AlarmType.CORRUPT)
                        .build();
        return EndpointSide.call(name, () -> maintenance().alarm(request)).getAlarmsList();
    }

    private AuthGrpc.AuthBlockingStub auth() {
        return AuthGrpc.newBlockingStub(channel).withDeadlineAfter(EndpointSide.CALL_LIMIT);
    }

    private MaintenanceGrpc.MaintenanceBlockingStub maintenance() {
        return MaintenanceGrpc.newBlockingStub(channel).withDeadlineAfter(EndpointSide.CALL_LIMIT);
    }

    private LeaseGrpc.LeaseBlockingStub lease() {
        return LeaseGrpc.newBlockingStub(channel).withDeadlineAfter(EndpointSide.CALL_LIMIT);
    }
}
