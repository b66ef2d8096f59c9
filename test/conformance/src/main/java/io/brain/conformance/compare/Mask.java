package io.brain.conformance.compare;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.brain.proto.etcd.AlarmMember;
import io.brain.proto.etcd.AlarmResponse;
import io.brain.proto.etcd.LeaseLeasesResponse;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.brain.proto.etcd.StatusResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Takes out of an answer what may differ between two correct servers, and nothing else: ids of
 * cluster and members, raft's numbers, sizes on disk, lease ids that the server chose, the order of
 * lists that have none, and the addresses a server listens on. Numbers that must not be zero stay
 * visible as 1.
 */
public final class Mask {

    private static final String HEADER_MEMBER = "etcdserverpb.ResponseHeader.member_id";

    private static final Set<String> ONE_IF_SET =
            Set.of(
                    "etcdserverpb.ResponseHeader.cluster_id",
                    HEADER_MEMBER,
                    "etcdserverpb.ResponseHeader.raft_term",
                    "etcdserverpb.StatusResponse.leader",
                    "etcdserverpb.StatusResponse.raftIndex",
                    "etcdserverpb.StatusResponse.raftTerm",
                    "etcdserverpb.StatusResponse.raftAppliedIndex",
                    "etcdserverpb.Member.ID",
                    "etcdserverpb.AlarmMember.memberID");

    private static final Set<String> LEASE_IN_ANSWER =
            Set.of(
                    "mvccpb.KeyValue.lease",
                    "etcdserverpb.LeaseGrantResponse.ID",
                    "etcdserverpb.LeaseKeepAliveResponse.ID",
                    "etcdserverpb.LeaseTimeToLiveResponse.ID",
                    "etcdserverpb.LeaseStatus.ID",
                    "v3electionpb.LeaderKey.lease");

    /** Keys of locks and elections end with a lease. */
    private static final Set<String> LEASE_IN_KEY =
            Set.of(
                    "mvccpb.KeyValue.key",
                    "v3lockpb.LockResponse.key",
                    "v3lockpb.UnlockRequest.key",
                    "v3electionpb.LeaderKey.key");

    private static final Set<String> LEASE_IN_REQUEST =
            Set.of(
                    "etcdserverpb.PutRequest.lease",
                    "etcdserverpb.Compare.lease",
                    "etcdserverpb.LeaseGrantRequest.ID",
                    "etcdserverpb.LeaseRevokeRequest.ID",
                    "etcdserverpb.LeaseKeepAliveRequest.ID",
                    "etcdserverpb.LeaseTimeToLiveRequest.ID",
                    "v3lockpb.LockRequest.lease",
                    "v3electionpb.CampaignRequest.lease",
                    "v3electionpb.LeaderKey.lease");

    private static final Set<String> MEMBER_IN_REQUEST =
            Set.of(
                    "etcdserverpb.MemberRemoveRequest.ID",
                    "etcdserverpb.MemberUpdateRequest.ID",
                    "etcdserverpb.MemberPromoteRequest.ID",
                    "etcdserverpb.MoveLeaderRequest.targetID",
                    "etcdserverpb.AlarmRequest.memberID");

    /** What a file takes, and may take. */
    private static final Set<String> SIZES =
            Set.of(
                    "etcdserverpb.StatusResponse.dbSize",
                    "etcdserverpb.StatusResponse.dbSizeInUse",
                    "etcdserverpb.StatusResponse.dbSizeQuota");

    /** Brain may have no address for other members, so their number differs too. */
    private static final String PEER_URLS = "etcdserverpb.Member.peerURLs";

    private static final String CLIENT_URLS = "etcdserverpb.Member.clientURLs";
    private static final String STATUS_ERRORS = "etcdserverpb.StatusResponse.errors";

    private final Names names;
    private final LeaseClock leaseClock = new LeaseClock();

    public Mask(Names names) {
        this.names = names;
    }

    /** The request as this server must see it: with real ids for named leases. */
    @SuppressWarnings("unchecked") // rewriting keeps the type
    public <M extends Message> M request(M request) {
        return (M) Fields.rewrite(request, this::inRequest);
    }

    /** The answer as it can be compared; same type. */
    @SuppressWarnings("unchecked") // rewriting keeps the type
    public <M extends Message> M answer(M answer) {
        return (M) ordered(Fields.rewrite(answer, this::inAnswer));
    }

    /**
     * As {@link #answer(Message)}, for an answer that may renew a lease or tell what is left of
     * one; both times by {@link System#nanoTime}.
     */
    @SuppressWarnings("unchecked") // the clock keeps the type
    public <M extends Message> M answer(M answer, long asked, long answered) {
        return answer((M) leaseClock.seen(answer, asked, answered));
    }

    /** To be called when the server was restarted. */
    public void restarted() {
        leaseClock.forget();
    }

    private Object inRequest(FieldDescriptor field, Object value) {
        if (LEASE_IN_REQUEST.contains(field.getFullName())) {
            return names.leaseId((long) value);
        }
        if (LEASE_IN_KEY.contains(field.getFullName())) {
            return names.key((ByteString) value);
        }
        if (MEMBER_IN_REQUEST.contains(field.getFullName())) {
            return names.memberId((long) value);
        }
        return value;
    }

    private Object inAnswer(FieldDescriptor field, Object value) {
        String name = field.getFullName();
        if (name.equals(HEADER_MEMBER)) {
            names.learnMember((long) value);
        }
        if (ONE_IF_SET.contains(name)) {
            return Names.MEMBER;
        }
        if (SIZES.contains(name)) {
            return null;
        }
        if (LEASE_IN_ANSWER.contains(name)) {
            return names.leaseName((long) value);
        }
        if (LEASE_IN_KEY.contains(name)) {
            return names.keyName((ByteString) value);
        }
        return switch (name) {
            case PEER_URLS -> null;
            case CLIENT_URLS -> ((String) value).replaceAll(":\\d+", ":PORT");
            case STATUS_ERRORS -> alarmText((String) value);
            default -> value;
        };
    }

    /** Member ids and spacing are not stable in these texts. */
    private static String alarmText(String error) {
        return error.replaceAll("memberID:\\d+", "memberID:1").replaceAll("\\s+", " ").trim();
    }

    private Message ordered(Message answer) {
        if (answer instanceof AlarmResponse alarms) {
            List<AlarmMember> sorted = new ArrayList<>(alarms.getAlarmsList());
            sorted.sort(Comparator.comparingInt(AlarmMember::getAlarmValue));
            return alarms.toBuilder().clearAlarms().addAllAlarms(sorted).build();
        }
        if (answer instanceof StatusResponse status) {
            List<String> sorted = status.getErrorsList().stream().sorted().toList();
            return status.toBuilder().clearErrors().addAllErrors(sorted).build();
        }
        if (answer instanceof LeaseLeasesResponse list) {
            List<LeaseStatus> sorted = new ArrayList<>(list.getLeasesList());
            sorted.sort(Comparator.comparingLong(LeaseStatus::getID));
            return list.toBuilder().clearLeases().addAllLeases(sorted).build();
        }
        if (answer instanceof LeaseTimeToLiveResponse left) {
            List<ByteString> sorted = new ArrayList<>(left.getKeysList());
            sorted.sort(ByteString.unsignedLexicographicalComparator());
            return left.toBuilder().clearKeys().addAllKeys(sorted).build();
        }
        return answer;
    }
}
