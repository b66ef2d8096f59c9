package io.brain.conformance.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseLeasesResponse;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.MemberRemoveRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeRequest.SortOrder;
import io.brain.proto.etcd.RangeRequest.SortTarget;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.etcd.ResponseOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.brain.proto.mvcc.KeyValue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MaskTest {

    private static final long MEMBER = 0x1234_5678L;
    private static final long CHOSEN = 987_654_321L;
    private static final RangeRequest BY_VERSION =
            RangeRequest.newBuilder()
                    .setSortTarget(SortTarget.VERSION)
                    .setSortOrder(SortOrder.ASCEND)
                    .build();

    private final Names names = new Names();
    private final Mask mask = new Mask(names, true);

    @Test
    void idsBecomeOneAndMissingIdsStayMissing() {
        ResponseHeader header =
                ResponseHeader.newBuilder().setMemberId(MEMBER).setRevision(7).build();
        PutResponse masked =
                mask.answer(
                        PutRequest.getDefaultInstance(),
                        PutResponse.newBuilder().setHeader(header).build());
        assertThat(masked.getHeader().getMemberId()).isEqualTo(Names.MEMBER);
        assertThat(masked.getHeader().getClusterId()).isZero();
        assertThat(masked.getHeader().getRevision()).isEqualTo(7);
    }

    @Test
    void aRequestForTheMemberGetsItsRealId() {
        aRequestLearnsFrom(MEMBER);
        MemberRemoveRequest request = MemberRemoveRequest.newBuilder().setID(Names.MEMBER).build();
        assertThat(mask.request(request).getID()).isEqualTo(MEMBER);
    }

    @Test
    void chosenLeasesAreCalledByTheirNames() {
        names.learnLease(CHOSEN);
        long name = names.leaseName(CHOSEN);
        KeyValue kv = KeyValue.newBuilder().setLease(CHOSEN).build();
        assertThat(range(RangeRequest.getDefaultInstance(), kv).getKvs(0).getLease())
                .isEqualTo(name)
                .isNotEqualTo(CHOSEN);
        assertThat(mask.request(PutRequest.newBuilder().setLease(name).build()).getLease())
                .isEqualTo(CHOSEN);
        assertThat(mask.request(PutRequest.newBuilder().setLease(5).build()).getLease())
                .isEqualTo(5);
    }

    @Test
    void leasesAreListedInOneOrder() {
        LeaseLeasesResponse list =
                LeaseLeasesResponse.newBuilder()
                        .addLeases(LeaseStatus.newBuilder().setID(9))
                        .addLeases(LeaseStatus.newBuilder().setID(-3))
                        .build();
        assertThat(mask.answer(LeaseLeasesRequest.getDefaultInstance(), list).getLeasesList())
                .extracting(LeaseStatus::getID)
                .containsExactly(-3L, 9L);
    }

    @Test
    void equalsOfASortComeInKeyOrder() {
        assertThat(keys(range(BY_VERSION, kv("c", 1), kv("b", 2), kv("a", 2), kv("d", 3))))
                .containsExactly("c", "a", "b", "d");
    }

    @Test
    void disorderOfASortStays() {
        assertThat(keys(range(BY_VERSION, kv("c", 2), kv("b", 1), kv("a", 2))))
                .containsExactly("c", "b", "a");
    }

    @Test
    void equalsInATransactionAreFoundByTheirOperation() {
        TxnRequest request =
                TxnRequest.newBuilder()
                        .addFailure(RequestOp.newBuilder().setRequestRange(BY_VERSION))
                        .build();
        TxnResponse answer =
                TxnResponse.newBuilder()
                        .addResponses(
                                ResponseOp.newBuilder()
                                        .setResponseRange(
                                                RangeResponse.newBuilder()
                                                        .addKvs(kv("b", 1))
                                                        .addKvs(kv("a", 1))))
                        .build();
        assertThat(keys(mask.answer(request, answer).getResponses(0).getResponseRange()))
                .containsExactly("a", "b");
    }

    @Test
    void ofEqualsThatALimitMayHaveCutOnlyTheSortedFieldStays() {
        RangeResponse answer =
                RangeResponse.newBuilder()
                        .addKvs(kv("a", 1))
                        .addKvs(kv("b", 2))
                        .setMore(true)
                        .build();
        RangeResponse masked = mask.answer(BY_VERSION, answer);
        assertThat(keys(masked)).containsExactly("a", "");
        assertThat(masked.getKvs(1).getVersion()).isEqualTo(2);
        assertThat(keys(new Mask(names, false).answer(BY_VERSION, answer)))
                .containsExactly("a", "b");
    }

    private void aRequestLearnsFrom(long member) {
        mask.answer(
                PutRequest.getDefaultInstance(),
                PutResponse.newBuilder()
                        .setHeader(ResponseHeader.newBuilder().setMemberId(member))
                        .build());
    }

    private RangeResponse range(RangeRequest request, KeyValue... kvs) {
        RangeResponse.Builder answer = RangeResponse.newBuilder();
        Stream.of(kvs).forEach(answer::addKvs);
        return mask.answer(request, answer.build());
    }

    private static Stream<String> keys(RangeResponse answer) {
        return answer.getKvsList().stream().map(kv -> kv.getKey().toStringUtf8());
    }

    private static KeyValue kv(String key, long version) {
        return KeyValue.newBuilder()
                .setKey(ByteString.copyFromUtf8(key))
                .setVersion(version)
                .build();
    }
}
