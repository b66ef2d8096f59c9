package io.brain.server.etcd;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two clients of a server on RocksDB: one with very many lists in flight, and one with one. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FairReadsTest {
    private static final int LISTS = 1000;
    private static final int KEYS = 20_000;
    private static final int KEYS_PER_TXN = 100;

    /** Reads all keys, and returns none, so that the readers are what the lists wait for. */
    private static final RangeRequest LIST =
            RangeRequest.newBuilder()
                    .setKey(ByteString.copyFrom(new byte[1]))
                    .setRangeEnd(ByteString.copyFrom(new byte[1]))
                    .setMinModRevision(1L << 40)
                    .build();

    @Test
    void aClientWithManyListsDoesNotHoldBackAnother(@TempDir Path directory) throws Exception {
        List<String> args =
                List.of(
                        "--data-dir=" + directory.resolve("data"),
                        "--listen-client-urls=http://127.0.0.1:0",
                        "--advertise-client-urls=http://127.0.0.1:2379");
        try (BrainServer server =
                BrainServer.start(CommandLineReader.read(args, Map.of()).config())) {
            ManagedChannel busy = connect(server);
            ManagedChannel quiet = connect(server);
            fill(KVGrpc.newBlockingStub(quiet));
            CountDownLatch answered = new CountDownLatch(LISTS);
            CountDownLatch begun = new CountDownLatch(LISTS / 50);
            for (int i = 0; i < LISTS; i++) {
                ListenableFuture<RangeResponse> list = KVGrpc.newFutureStub(busy).range(LIST);
                list.addListener(
                        () -> {
                            answered.countDown();
                            begun.countDown();
                        },
                        MoreExecutors.directExecutor());
            }
            assertThat(begun.await(2, MINUTES)).isTrue();
            assertThat(KVGrpc.newBlockingStub(quiet).range(LIST).getKvsCount()).isZero();
            assertThat(answered.getCount())
                    .as("unanswered lists of the busy client")
                    .isGreaterThan(LISTS / 2);
            assertThat(answered.await(2, MINUTES)).isTrue();
            busy.shutdownNow();
            quiet.shutdownNow();
        }
    }

    private static ManagedChannel connect(BrainServer server) {
        return NettyChannelBuilder.forAddress(server.clientAddresses().get(0))
                .usePlaintext()
                .build();
    }

    private static void fill(KVGrpc.KVBlockingStub kv) {
        for (int i = 0; i < KEYS / KEYS_PER_TXN; i++) {
            TxnRequest.Builder txn = TxnRequest.newBuilder();
            for (int j = 0; j < KEYS_PER_TXN; j++) {
                PutRequest put =
                        PutRequest.newBuilder()
                                .setKey(ByteString.copyFromUtf8("key" + i + "-" + j))
                                .setValue(ByteString.copyFromUtf8("value"))
                                .build();
                txn.addSuccess(RequestOp.newBuilder().setRequestPut(put));
            }
            var unused = kv.txn(txn.build());
        }
    }
}
