package io.brain.proto;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.brain.proto.etcd.DeleteRangeResponse;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.RangeStreamResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.etcd.ResponseOp;
import io.brain.proto.etcd.TxnResponse;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import io.brain.proto.mvcc.KeyValue;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The stored.* answers are the etcd answers, byte for byte, with stored keys left encoded. */
class StoredTwinsTest {

    private static final ResponseHeader HEADER =
            ResponseHeader.newBuilder()
                    .setClusterId(7)
                    .setMemberId(-1)
                    .setRevision(42)
                    .setRaftTerm(3)
                    .build();
    private static final KeyValue KV =
            KeyValue.newBuilder()
                    .setKey(ByteString.copyFrom(new byte[] {0, 0x24, (byte) 0xff}))
                    .setCreateRevision(2)
                    .setModRevision(42)
                    .setVersion(300)
                    .setValue(ByteString.copyFrom(new byte[500]))
                    .setLease(-5)
                    .build();
    private static final KeyValue NO_FIELDS = KeyValue.getDefaultInstance();
    private static final Event PUT = Event.newBuilder().setKv(KV).setPrevKv(NO_FIELDS).build();
    private static final Event DELETE =
            Event.newBuilder()
                    .setType(Event.EventType.DELETE)
                    .setKv(KV.toBuilder().clearValue())
                    .build();

    private static final Map<Descriptor, Descriptor> TWINS =
            Map.of(
                    RangeResponse.getDescriptor(),
                    io.brain.proto.stored.RangeResponse.getDescriptor(),
                    RangeStreamResponse.getDescriptor(),
                    io.brain.proto.stored.RangeStreamResponse.getDescriptor(),
                    PutResponse.getDescriptor(),
                    io.brain.proto.stored.PutResponse.getDescriptor(),
                    DeleteRangeResponse.getDescriptor(),
                    io.brain.proto.stored.DeleteRangeResponse.getDescriptor(),
                    ResponseOp.getDescriptor(),
                    io.brain.proto.stored.ResponseOp.getDescriptor(),
                    TxnResponse.getDescriptor(),
                    io.brain.proto.stored.TxnResponse.getDescriptor(),
                    WatchResponse.getDescriptor(),
                    io.brain.proto.stored.WatchResponse.getDescriptor());

    static Set<Map.Entry<Descriptor, Descriptor>> twins() {
        return TWINS.entrySet();
    }

    @ParameterizedTest
    @MethodSource("twins")
    void everyFieldHasTheSameNumberAndWireTypeInBothTwins(Map.Entry<Descriptor, Descriptor> twins) {
        assertThat(twins.getValue().getFields()).hasSameSizeAs(twins.getKey().getFields());
        for (FieldDescriptor field : twins.getKey().getFields()) {
            FieldDescriptor twin = twins.getValue().findFieldByNumber(field.getNumber());
            assertThat(twin).as(field.getFullName()).isNotNull();
            assertThat(twin.getName()).isEqualTo(field.getName());
            assertThat(twin.isRepeated()).isEqualTo(field.isRepeated());
            if (field.getType() != FieldDescriptor.Type.MESSAGE) {
                assertThat(twin.getType()).isEqualTo(field.getType());
            } else if (carriesStoredBytes(field.getMessageType())) {
                assertThat(twin.getType()).isEqualTo(FieldDescriptor.Type.BYTES);
            } else {
                Descriptor meant =
                        TWINS.getOrDefault(field.getMessageType(), field.getMessageType());
                assertThat(twin.getMessageType()).isEqualTo(meant);
            }
        }
    }

    private static boolean carriesStoredBytes(Descriptor type) {
        return type.equals(KeyValue.getDescriptor()) || type.equals(Event.getDescriptor());
    }

    @Test
    void aRangeAnswerIsTheSameBytes() throws InvalidProtocolBufferException {
        same(
                range(),
                storedRange(),
                io.brain.proto.stored.RangeResponse.parseFrom(range().toByteString()));
        same(
                RangeStreamResponse.newBuilder().setRangeResponse(range()).build(),
                io.brain.proto.stored.RangeStreamResponse.newBuilder()
                        .setRangeResponse(storedRange())
                        .build());
    }

    @Test
    void aPutAnswerIsTheSameBytesWithAndWithoutAPreviousKey() {
        same(put(KV), storedPut(KV));
        same(put(NO_FIELDS), storedPut(NO_FIELDS));
        same(
                PutResponse.newBuilder().setHeader(HEADER).build(),
                io.brain.proto.stored.PutResponse.newBuilder().setHeader(HEADER).build());
    }

    @Test
    void aDeleteAnswerIsTheSameBytes() {
        same(delete(), storedDelete());
    }

    @Test
    void aNestedTransactionsAnswerIsTheSameBytes() throws InvalidProtocolBufferException {
        TxnResponse inner =
                TxnResponse.newBuilder()
                        .setHeader(ResponseHeader.getDefaultInstance())
                        .addResponses(ResponseOp.newBuilder().setResponsePut(put(KV)))
                        .addResponses(ResponseOp.getDefaultInstance())
                        .build();
        TxnResponse outer =
                TxnResponse.newBuilder()
                        .setHeader(HEADER)
                        .setSucceeded(true)
                        .addResponses(ResponseOp.newBuilder().setResponseRange(range()))
                        .addResponses(ResponseOp.newBuilder().setResponseDeleteRange(delete()))
                        .addResponses(ResponseOp.newBuilder().setResponseTxn(inner))
                        .build();
        io.brain.proto.stored.TxnResponse storedInner =
                io.brain.proto.stored.TxnResponse.newBuilder()
                        .setHeader(ResponseHeader.getDefaultInstance())
                        .addResponses(storedOp().setResponsePut(storedPut(KV)))
                        .addResponses(storedOp())
                        .build();
        io.brain.proto.stored.TxnResponse storedOuter =
                io.brain.proto.stored.TxnResponse.newBuilder()
                        .setHeader(HEADER)
                        .setSucceeded(true)
                        .addResponses(storedOp().setResponseRange(storedRange()))
                        .addResponses(storedOp().setResponseDeleteRange(storedDelete()))
                        .addResponses(storedOp().setResponseTxn(storedInner))
                        .build();
        same(outer, storedOuter, io.brain.proto.stored.TxnResponse.parseFrom(outer.toByteString()));
    }

    @Test
    void aWatchResponseIsTheSameBytes() throws InvalidProtocolBufferException {
        WatchResponse response =
                WatchResponse.newBuilder()
                        .setHeader(HEADER)
                        .setWatchId(-1)
                        .setCreated(true)
                        .setCanceled(true)
                        .setCompactRevision(9)
                        .setCancelReason("why")
                        .setFragment(true)
                        .addEvents(PUT)
                        .addEvents(DELETE)
                        .build();
        io.brain.proto.stored.WatchResponse stored =
                io.brain.proto.stored.WatchResponse.newBuilder()
                        .setHeader(HEADER)
                        .setWatchId(-1)
                        .setCreated(true)
                        .setCanceled(true)
                        .setCompactRevision(9)
                        .setCancelReason("why")
                        .setFragment(true)
                        .addEvents(PUT.toByteString())
                        .addEvents(DELETE.toByteString())
                        .build();
        same(
                response,
                stored,
                io.brain.proto.stored.WatchResponse.parseFrom(response.toByteString()));
    }

    private static void same(MessageLite message, MessageLite... stored) {
        assertThat(message.getSerializedSize()).isPositive();
        for (MessageLite twin : stored) {
            assertThat(twin.toByteString()).isEqualTo(message.toByteString());
        }
    }

    private static RangeResponse range() {
        return RangeResponse.newBuilder()
                .setHeader(HEADER)
                .addKvs(KV)
                .addKvs(NO_FIELDS)
                .setMore(true)
                .setCount(1 << 20)
                .build();
    }

    private static io.brain.proto.stored.RangeResponse storedRange() {
        return io.brain.proto.stored.RangeResponse.newBuilder()
                .setHeader(HEADER)
                .addKvs(KV.toByteString())
                .addKvs(NO_FIELDS.toByteString())
                .setMore(true)
                .setCount(1 << 20)
                .build();
    }

    private static PutResponse put(KeyValue previous) {
        return PutResponse.newBuilder().setHeader(HEADER).setPrevKv(previous).build();
    }

    private static io.brain.proto.stored.PutResponse storedPut(KeyValue previous) {
        return io.brain.proto.stored.PutResponse.newBuilder()
                .setHeader(HEADER)
                .setPrevKv(previous.toByteString())
                .build();
    }

    private static DeleteRangeResponse delete() {
        return DeleteRangeResponse.newBuilder()
                .setHeader(HEADER)
                .setDeleted(2)
                .addPrevKvs(KV)
                .addPrevKvs(NO_FIELDS)
                .build();
    }

    private static io.brain.proto.stored.DeleteRangeResponse storedDelete() {
        return io.brain.proto.stored.DeleteRangeResponse.newBuilder()
                .setHeader(HEADER)
                .setDeleted(2)
                .addPrevKvs(KV.toByteString())
                .addPrevKvs(NO_FIELDS.toByteString())
                .build();
    }

    private static io.brain.proto.stored.ResponseOp.Builder storedOp() {
        return io.brain.proto.stored.ResponseOp.newBuilder();
    }
}
