package io.brain.bench.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.brain.proto.etcd.LeaseGrantResponse;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.etcd.ResponseOp;
import io.brain.proto.etcd.TxnResponse;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import io.brain.proto.mvcc.KeyValue;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerTest {

    private static final ResponseHeader HEADER =
            ResponseHeader.newBuilder()
                    .setClusterId(-5)
                    .setMemberId(Long.MAX_VALUE)
                    .setRevision(1L << 40)
                    .setRaftTerm(3)
                    .build();

    @Test
    void aRangeIsRead() throws IOException {
        RangeResponse.Builder range =
                RangeResponse.newBuilder().setHeader(HEADER).setMore(true).setCount(100_000);
        for (int i = 0; i < 500; i++) {
            range.addKvs(KeyValue.newBuilder().setValue(ByteString.copyFrom(new byte[1_000])));
        }

        Answer answer = read(range.build());

        assertThat(answer.items()).isEqualTo(500);
        assertThat(answer.more()).isTrue();
        assertThat(answer.count()).isEqualTo(100_000);
        assertThat(answer.revision()).isEqualTo(1L << 40);
    }

    @Test
    void aTransactionIsRead() throws IOException {
        TxnResponse.Builder txn =
                TxnResponse.newBuilder()
                        .setHeader(HEADER)
                        .addResponses(
                                ResponseOp.newBuilder()
                                        .setResponseRange(RangeResponse.newBuilder().setCount(1)));

        assertThat(read(txn.build()).succeeded()).isFalse();
        assertThat(read(txn.setSucceeded(true).build()).succeeded()).isTrue();
    }

    @Test
    void leasesAreRead() throws IOException {
        assertThat(read(LeaseGrantResponse.newBuilder().setID(99).setTTL(5).build()).leaseId())
                .isEqualTo(99);
        assertThat(read(LeaseKeepAliveResponse.newBuilder().setID(9).setTTL(60).build()).ttl())
                .isEqualTo(60);
    }

    @Test
    void aTruncatedMessageIsRefused() {
        byte[] whole = RangeResponse.newBuilder().setHeader(HEADER).build().toByteArray();
        byte[] part = Arrays.copyOf(whole, whole.length - 1);

        assertThatThrownBy(() -> Answer.read(new ByteArrayInputStream(part)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aWatchResponseIsRead() throws IOException {
        ByteString stamped = ByteString.copyFrom(new byte[] {0, 0, 0, 0, 0, 0, 1, 2, 9, 9});
        Event event =
                Event.newBuilder()
                        .setKv(KeyValue.newBuilder().setValue(stamped).setLease(4))
                        .setPrevKv(KeyValue.newBuilder().setValue(stamped))
                        .build();
        WatchResponse response =
                WatchResponse.newBuilder()
                        .setHeader(HEADER)
                        .setWatchId(7)
                        .addEvents(event)
                        .addEvents(Event.newBuilder().setType(Event.EventType.DELETE))
                        .build();
        List<Long> stamps = new ArrayList<>();

        WatchReader read = WatchReader.read(response.toByteArray(), stamps::add);

        assertThat(read).isEqualTo(new WatchReader(false, false, 2));
        assertThat(stamps).containsExactly(0x102L);
    }

    private static Answer read(MessageLite message) throws IOException {
        return Answer.read(new ByteArrayInputStream(message.toByteArray()));
    }
}
