package io.brain.conformance.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.brain.conformance.script.Requests;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.TxnRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ShrinkerTest {

    @Test
    void onlyTheRequestsThatMatterAreLeft() throws Exception {
        List<Message> history = puts(200);
        Message first = Requests.compact(5).setPhysical(true).build();
        Message second = Requests.get("k").setLimit(3).setKeysOnly(true).build();
        history.set(17, first);
        history.set(150, second);
        List<Message> shortest =
                new Shrinker(h -> inOrder(h, CompactionRequest.class, RangeRequest.class), 500)
                        .shrink(history);
        assertThat(shortest)
                .containsExactly(
                        CompactionRequest.getDefaultInstance(), RangeRequest.getDefaultInstance());
    }

    @Test
    void aRequestLosesWhatDoesNotMatter() throws Exception {
        TxnRequest txn =
                Requests.txn(
                                Requests.get("x"),
                                Requests.put("a", "1").setLease(7).setPrevKv(true),
                                Requests.delete("b"))
                        .otherwise(Requests.get("y"))
                        .build();
        List<Message> shortest =
                new Shrinker(h -> h.get(0).toString().contains("lease: 7"), 500)
                        .shrink(List.of(txn));
        assertThat(shortest)
                .containsExactly(Requests.txn(PutRequest.newBuilder().setLease(7)).build());
    }

    @Test
    void attemptsAreBounded() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        new Shrinker(
                        h -> {
                            attempts.incrementAndGet();
                            return h.size() > 50;
                        },
                        30)
                .shrink(puts(1000));
        assertThat(attempts).hasValue(30);
    }

    private static List<Message> puts(int count) {
        List<Message> puts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            puts.add(Requests.put("k" + i, "v").build());
        }
        return puts;
    }

    private static boolean inOrder(List<Message> history, Class<?> first, Class<?> second) {
        int at = -1;
        for (int i = 0; i < history.size(); i++) {
            if (first.isInstance(history.get(i)) && at < 0) {
                at = i;
            }
            if (second.isInstance(history.get(i)) && at >= 0) {
                return true;
            }
        }
        return false;
    }
}
