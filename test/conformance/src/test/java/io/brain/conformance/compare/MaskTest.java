package io.brain.conformance.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.proto.etcd.LeaseLeasesResponse;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.MemberRemoveRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.mvcc.KeyValue;
import org.junit.jupiter.api.Test;

class MaskTest {

    private static final long MEMBER = 0x1234_5678L;
    private static final long CHOSEN = 987_654_321L;

    private final Names names = new Names();
    private final Mask mask = new Mask(names);

    @Test
    void idsBecomeOneAndMissingIdsStayMissing() {
        ResponseHeader header =
                ResponseHeader.newBuilder().setMemberId(MEMBER).setRevision(7).build();
        PutResponse masked = mask.answer(PutResponse.newBuilder().setHeader(header).build());
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
        assertThat(mask.answer(RangeResponse.newBuilder().addKvs(kv).build()).getKvs(0).getLease())
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
        assertThat(mask.answer(list).getLeasesList())
                .extracting(LeaseStatus::getID)
                .containsExactly(-3L, 9L);
    }

    private void aRequestLearnsFrom(long member) {
        mask.answer(
                PutResponse.newBuilder()
                        .setHeader(ResponseHeader.newBuilder().setMemberId(member))
                        .build());
    }
}
