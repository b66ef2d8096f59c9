package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.DeleteRangeResponse;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.brain.proto.mvcc.KeyValue;
import io.brain.server.FakeBackend;
import io.brain.server.TestServer;
import io.brain.storage.Bytes;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KvServiceTest {
    private static final String RANGE = "etcdserverpb.KV/Range";
    private static final ByteString A = ByteString.copyFromUtf8("a");
    private static final Bytes KV =
            KeyValueCodec.encode(Bytes.utf8("a"), 2, 5, 3, Bytes.utf8("value"), 77);
    private static final KeyValue KEY_VALUE =
            KeyValue.newBuilder()
                    .setKey(A)
                    .setCreateRevision(2)
                    .setModRevision(5)
                    .setVersion(3)
                    .setValue(ByteString.copyFromUtf8("value"))
                    .setLease(77)
                    .build();
    private static final ResponseHeader HEADER =
            ResponseHeader.newBuilder()
                    .setClusterId(FakeBackend.CLUSTER)
                    .setMemberId(FakeBackend.MEMBER)
                    .setRevision(FakeBackend.REVISION)
                    .setRaftTerm(FakeBackend.EPOCH)
                    .build();

    private TestServer server;
    private FakeBackend backend;
    private KVGrpc.KVBlockingStub kv;

    @BeforeEach
    void start() throws Exception {
        server = new TestServer();
        backend = server.backend;
        kv = KVGrpc.newBlockingStub(server.channel());
    }

    @AfterEach
    void everyAnswerIsGivenBack() throws Exception {
        try {
            Eventually.holds(() -> backend.held.get() == 0);
        } finally {
            server.close();
        }
    }

    @Test
    void aRangesStoredBytesArriveAsKeyValues() {
        backend.onRange =
                () ->
                        CompletableFuture.completedFuture(
                                backend.reply(
                                        new OpResult.Range(
                                                FakeBackend.REVISION, List.of(KV, KV), true, 8)));
        RangeResponse answer = kv.range(RangeRequest.newBuilder().setKey(A).build());
        assertThat(answer)
                .isEqualTo(
                        RangeResponse.newBuilder()
                                .setHeader(HEADER)
                                .addKvs(KEY_VALUE)
                                .addKvs(KEY_VALUE)
                                .setMore(true)
                                .setCount(8)
                                .build());
    }

    @Test
    void aPutIsATransactionOfOneStep() {
        backend.onTxn = () -> backend.txn(new OpResult.Put(FakeBackend.REVISION, KV));
        PutResponse answer = kv.put(PutRequest.newBuilder().setKey(A).setPrevKv(true).build());
        assertThat(answer)
                .isEqualTo(PutResponse.newBuilder().setHeader(HEADER).setPrevKv(KEY_VALUE).build());
        assertThat(backend.txns)
                .containsExactly(
                        Txn.of(new Op.Put(Bytes.utf8("a"), Bytes.EMPTY, 0, true, false, false)));
    }

    @Test
    void aPutWithoutAPreviousValueSaysSo() {
        assertThat(kv.put(PutRequest.newBuilder().setKey(A).build()).hasPrevKv()).isFalse();
    }

    @Test
    void aDeleteAnswersWithWhatWasThere() {
        backend.onTxn =
                () -> backend.txn(new OpResult.Delete(FakeBackend.REVISION, 1, List.of(KV)));
        DeleteRangeResponse answer =
                kv.deleteRange(DeleteRangeRequest.newBuilder().setKey(A).build());
        assertThat(answer)
                .isEqualTo(
                        DeleteRangeResponse.newBuilder()
                                .setHeader(HEADER)
                                .setDeleted(1)
                                .addPrevKvs(KEY_VALUE)
                                .build());
    }

    @Test
    void theHeadersWithinATransactionCarryARevisionOnlyAndNestedOnesNothing() {
        OpResult.Txn nested =
                new OpResult.Txn(6, false, List.of(new OpResult.Range(6, List.of(KV), false, 1)));
        backend.onTxn =
                () ->
                        backend.txn(
                                new OpResult.Put(6, null),
                                new OpResult.Delete(7, 0, List.of()),
                                nested);
        TxnResponse answer = kv.txn(TxnRequest.getDefaultInstance());
        assertThat(answer.getHeader()).isEqualTo(HEADER);
        assertThat(answer.getSucceeded()).isTrue();
        ResponseHeader six = ResponseHeader.newBuilder().setRevision(6).build();
        assertThat(answer.getResponses(0).getResponsePut())
                .isEqualTo(PutResponse.newBuilder().setHeader(six).build());
        assertThat(answer.getResponses(1).getResponseDeleteRange().getHeader().getRevision())
                .isEqualTo(7);
        TxnResponse inner = answer.getResponses(2).getResponseTxn();
        assertThat(inner.getHeader()).isEqualTo(ResponseHeader.getDefaultInstance());
        assertThat(inner.getSucceeded()).isFalse();
        assertThat(inner.getResponses(0).getResponseRange())
                .isEqualTo(
                        RangeResponse.newBuilder()
                                .setHeader(six)
                                .addKvs(KEY_VALUE)
                                .setCount(1)
                                .build());
    }

    @Test
    void compactionsAnswerWithTheNewestRevision() {
        CompactionRequest request = CompactionRequest.newBuilder().setRevision(4).build();
        assertThat(kv.compact(request).getHeader()).isEqualTo(HEADER);
        CompactionRequest future = CompactionRequest.newBuilder().setRevision(100).build();
        assertThat(Ends.textOf(() -> kv.compact(future)))
                .isEqualTo("OUT_OF_RANGE etcdserver: mvcc: required revision is a future revision");
    }

    @Test
    void aRefusalOfTheBackendHasEtcdsWords() {
        backend.onTxn = () -> FakeBackend.failed(ErrorKind.DUPLICATE_KEY);
        assertThat(Ends.textOf(() -> kv.txn(TxnRequest.getDefaultInstance())))
                .isEqualTo("INVALID_ARGUMENT etcdserver: duplicate key given in txn request");
    }

    @Test
    void aCallThatTheClientGaveUpIsGivenUpInTheBackendToo() throws Exception {
        CompletableFuture<Reply<OpResult.Range>> never = new CompletableFuture<>();
        backend.onRange = () -> never;
        RawCall call = range();
        Eventually.holds(() -> !backend.queries.isEmpty());
        call.cancel();
        Eventually.holds(never::isCancelled);
    }

    @Test
    void anAnswerThatComesTooLateIsGivenBackAtOnce() throws Exception {
        // A backend that takes no notice of being cancelled.
        CompletableFuture<Reply<OpResult.Range>> late =
                new CompletableFuture<>() {
                    @Override
                    public boolean cancel(boolean interrupt) {
                        return false;
                    }
                };
        backend.onRange = () -> late;
        RawCall call = range();
        Eventually.holds(() -> !backend.queries.isEmpty());
        call.cancel();
        call.end();
        late.complete(backend.reply(new OpResult.Range(3, List.of(KV), false, 1)));
        Eventually.holds(() -> backend.held.get() == 0);
    }

    @Test
    void aLargeAnswerIsHeldUntilTheClientHasReadIt() throws Exception {
        backend.onRange = () -> large(40);
        RawCall call = new RawCall(server.channel(), RANGE, new Metadata(), 0);
        call.send(request()).halfClose();
        Eventually.holds(() -> backend.held.get() == 1);
        call.request(1);
        assertThat(call.next().length).isGreaterThan(40 << 20);
        assertThat(call.end().isOk()).isTrue();
        Eventually.holds(() -> backend.held.get() == 0);
    }

    @Test
    void aClientThatDoesNotReadLosesItsConnectionInTime() throws Exception {
        server.hurry();
        CompletableFuture<Reply<OpResult.Range>> answer = new CompletableFuture<>();
        backend.onRange = () -> answer;
        RawCall call = new RawCall(server.channel(), RANGE, new Metadata(), 0);
        call.send(request()).halfClose();
        Eventually.holds(() -> !backend.queries.isEmpty());
        answer.complete(large(4).join());
        Eventually.holds(() -> backend.held.get() == 0);
        call.request(1);
        assertThat(call.end().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }

    private RawCall range() {
        return new RawCall(server.channel(), RANGE).send(request()).halfClose();
    }

    private static byte[] request() {
        return RangeRequest.newBuilder().setKey(A).build().toByteArray();
    }

    private CompletableFuture<Reply<OpResult.Range>> large(int mebibytes) {
        Bytes kv =
                KeyValueCodec.encode(
                        Bytes.utf8("a"), 2, 5, 3, Bytes.wrap(new byte[mebibytes << 20]), 0);
        return backend.range(List.of(kv));
    }
}
