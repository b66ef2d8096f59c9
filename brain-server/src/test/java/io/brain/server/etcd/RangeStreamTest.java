package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.server.Eventually;
import io.brain.server.FakeBackend;
import io.brain.server.TestServer;
import io.brain.storage.Bytes;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RangeStreamTest {
    private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

    private final NavigableSet<Bytes> keys = new TreeSet<>();
    private TestServer server;
    private FakeBackend backend;
    private int valueBytes = 1;

    @BeforeEach
    void start() throws Exception {
        server = new TestServer();
        backend = server.backend;
        backend.onRange = this::range;
        for (int i = 0; i < 1000; i++) {
            keys.add(Bytes.utf8(String.format("k%04d", i)));
        }
    }

    @AfterEach
    void verifyReservationsReleased() throws Exception {
        try {
            Eventually.holds(() -> backend.held.get() == 0);
        } finally {
            server.close();
        }
    }

    @Test
    void chunksDoubleAndOnlyTheLastHasHeaderAndCount() {
        List<RangeResponse> chunks = stream(all());
        assertThat(chunks)
                .extracting(RangeResponse::getKvsCount)
                .containsExactly(10, 20, 40, 80, 160, 320, 370);
        for (RangeResponse chunk : chunks.subList(0, 6)) {
            assertThat(chunk.hasHeader()).isFalse();
            assertThat(chunk.getCount()).isZero();
        }
        RangeResponse last = chunks.get(6);
        assertThat(last.getHeader().getRevision()).isEqualTo(FakeBackend.REVISION);
        assertThat(last.getHeader().getClusterId()).isEqualTo(FakeBackend.CLUSTER);
        assertThat(last.getCount()).isEqualTo(1000);
        assertThat(last.getMore()).isFalse();
        List<String> received = new ArrayList<>();
        chunks.forEach(c -> c.getKvsList().forEach(kv -> received.add(kv.getKey().toStringUtf8())));
        assertThat(received).isSorted().hasSize(1000).doesNotHaveDuplicates();
    }

    @Test
    void allChunksAreReadAtTheRevisionOfTheFirst() {
        stream(all());
        assertThat(backend.queries)
                .extracting(RangeQuery::revision)
                .startsWith(0L, FakeBackend.REVISION)
                .containsOnly(0L, FakeBackend.REVISION);
        backend.queries.clear();
        stream(all().setRevision(4));
        assertThat(backend.queries).extracting(RangeQuery::revision).containsOnly(4L);
    }

    @Test
    void aLimitTruncatesTheLastChunkButNotTheCount() {
        List<RangeResponse> chunks = stream(all().setLimit(25));
        assertThat(chunks).extracting(RangeResponse::getKvsCount).containsExactly(10, 15);
        assertThat(chunks.get(1).getMore()).isTrue();
        assertThat(chunks.get(1).getCount()).isEqualTo(1000);
    }

    @Test
    void onlyTheChunkThatReachesTheLimitIsCounted() {
        stream(all());
        assertThat(backend.queries).hasSize(7).noneMatch(RangeQuery::counted);
        backend.queries.clear();
        stream(all().setLimit(25));
        assertThat(backend.queries).extracting(RangeQuery::counted).containsExactly(false, true);
    }

    @Test
    void countOnlyIsOneChunk() {
        List<RangeResponse> chunks = stream(all().setCountOnly(true));
        assertThat(chunks).hasSize(1);
        assertThat(chunks.get(0).getCount()).isEqualTo(1000);
    }

    @Test
    void anEmptyRangeIsOneChunkWithHeader() {
        keys.clear();
        List<RangeResponse> chunks = stream(all());
        assertThat(chunks).hasSize(1);
        assertThat(chunks.get(0).getHeader().getRevision()).isEqualTo(FakeBackend.REVISION);
        assertThat(chunks.get(0).getCount()).isZero();
    }

    @Test
    void chunksOfLargeValuesShrink() {
        valueBytes = 400_000;
        List<RangeResponse> chunks = stream(all().setLimit(30));
        assertThat(chunks).extracting(RangeResponse::getKvsCount).containsExactly(10, 5, 5, 5, 5);
    }

    @Test
    void unsupportedOptionsAreRefused() {
        assertThat(error(all().setSortOrderValue(2)))
                .isEqualTo("UNIMPLEMENTED RangeStream does not support custom sort orders");
        assertThat(error(all().setMinModRevision(2)))
                .isEqualTo("UNIMPLEMENTED RangeStream does not support revision filters");
        assertThat(error(RangeRequest.newBuilder()))
                .isEqualTo("INVALID_ARGUMENT etcdserver: key is not provided");
        assertThat(stream(all().setSortOrderValue(1))).hasSize(7);
    }

    @Test
    void aCompactionDuringTheStreamFailsIt() {
        backend.onRange =
                () ->
                        backend.queries.size() < 3
                                ? range()
                                : FakeBackend.failed(ErrorKind.COMPACTED);
        assertThat(error(all()))
                .isEqualTo("OUT_OF_RANGE etcdserver: mvcc: required revision has been compacted");
    }

    @Test
    void noChunkIsReadBeforeTheClientTookTheLastOne() throws Exception {
        server.hurry();
        valueBytes = 400_000;
        CompletableFuture<Reply<OpResult.Range>> chunk = new CompletableFuture<>();
        backend.onRange = () -> chunk;
        RawCall call =
                new RawCall(server.channel(), "etcdserverpb.KV/RangeStream", new Metadata(), 0);
        call.send(all().build().toByteArray()).halfClose();
        Eventually.holds(() -> !backend.queries.isEmpty());
        // The first chunk exceeds the client's window.
        chunk.complete(range().join());
        Eventually.holds(() -> backend.held.get() == 0);
        call.request(100);
        assertThat(call.end().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(backend.queries).hasSize(1);
    }

    private CompletableFuture<Reply<OpResult.Range>> range() {
        RangeQuery query = backend.queries.stream().reduce((first, last) -> last).orElseThrow();
        NavigableSet<Bytes> rest = keys.tailSet(query.span().key(), true);
        List<Bytes> found = new ArrayList<>();
        for (Bytes key : rest) {
            if (query.countOnly() || found.size() == query.limit()) {
                break;
            }
            found.add(KeyValueCodec.encode(key, 2, 2, 1, Bytes.wrap(new byte[valueBytes]), 0));
        }
        boolean more = !query.countOnly() && found.size() < rest.size();
        if (query.revision() > FakeBackend.REVISION) {
            throw new BackendException(ErrorKind.FUTURE_REVISION);
        }
        return CompletableFuture.completedFuture(
                backend.reply(new OpResult.Range(FakeBackend.REVISION, found, more, rest.size())));
    }

    private static RangeRequest.Builder all() {
        return RangeRequest.newBuilder().setKey(ZERO).setRangeEnd(ZERO);
    }

    private List<RangeResponse> stream(RangeRequest.Builder request) {
        List<RangeResponse> chunks = new ArrayList<>();
        KVGrpc.newBlockingStub(server.channel())
                .rangeStream(request.build())
                .forEachRemaining(chunk -> chunks.add(chunk.getRangeResponse()));
        return chunks;
    }

    private String error(RangeRequest.Builder request) {
        return Statuses.textOf(() -> stream(request));
    }
}
