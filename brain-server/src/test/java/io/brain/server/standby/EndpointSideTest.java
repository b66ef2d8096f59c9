package io.brain.server.standby;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.backend.model.KeySpan;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.server.BrainServer;
import io.brain.transfer.verify.EndpointSide;
import io.brain.transfer.verify.Side;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages of a server whose values have mixed sizes. */
class EndpointSideTest {
    private static final int SMALL = 3000;
    private static final int LARGE = 40;

    @TempDir private Path directory;

    @Test
    void largeValuesAreReadAfterManySmallOnes() throws Exception {
        try (BrainServer server = StandbyClient.server(directory.resolve("data"))) {
            ManagedChannel channel =
                    NettyChannelBuilder.forAddress(server.clientAddresses().get(0))
                            .usePlaintext()
                            .maxInboundMessageSize(2 << 20)
                            .build();
            try {
                fill(KVGrpc.newBlockingStub(channel));
                EndpointSide side = new EndpointSide("server", channel, 0);
                int count = 0;
                try (Side.Entries entries = side.entries(KeySpan.ALL, side.newestRevision())) {
                    while (entries.next() != null) {
                        count++;
                    }
                }
                assertThat(count).isEqualTo(SMALL + LARGE);
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static void fill(KVGrpc.KVBlockingStub kv) {
        for (int i = 0; i < SMALL; i += 100) {
            TxnRequest.Builder some = TxnRequest.newBuilder();
            for (int j = i; j < i + 100; j++) {
                some.addSuccess(RequestOp.newBuilder().setRequestPut(put("a" + j, 10)));
            }
            var unused = kv.txn(some.build());
        }
        for (int i = 0; i < LARGE; i++) {
            var unused = kv.put(put("b" + i, 1_200_000));
        }
    }

    private static PutRequest put(String key, int bytes) {
        return PutRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(key))
                .setValue(ByteString.copyFrom(new byte[bytes]))
                .build();
    }
}
