package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.link.LeaderCommand.RunTxn;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the answers of transactions that write hold of the response budget. */
class TxnAnswerBytesTest {
    private static final int VALUE_BYTES = 100_000;
    private static final int BUDGET_BYTES = 8 << 20;
    private static final KeySpan KEYS = KeySpan.of(Bytes.utf8("k"), Bytes.utf8("l"));
    private static final Op PUT = NodeFixture.putOf("other", "1", 0);

    private final NodeFixture fixture = new NodeFixture(1);

    @BeforeEach
    void store() {
        fixture.open();
        for (int i = 0; i < 10; i++) {
            fixture.put("k" + i, "v".repeat(VALUE_BYTES));
        }
    }

    @AfterEach
    void nothingIsHeld() {
        fixture.simulation.run();
        assertThat(held()).isZero();
        fixture.storage.checkNoOpenSnapshots();
    }

    @Test
    void readsOfLargeKeysAreWithinTheBudget() {
        Reply<OpResult.Txn> reply = fixture.await(fixture.submit(PUT, get("k1"), get("k2")));
        assertThat(held()).isBetween(2L * VALUE_BYTES, 2L * VALUE_BYTES + 1_000);
        OpResult.Range second = (OpResult.Range) reply.answer().results().get(2);
        assertThat(NodeFixture.valueOf(second.kvs().get(0))).hasSize(VALUE_BYTES);
        reply.held().close();
    }

    @Test
    void manySmallReadsTogetherAreWithinTheBudget() {
        List<Op> steps = new ArrayList<>(List.of(NodeFixture.putOf("a", "v".repeat(1_000), 0)));
        for (int i = 0; i < 100; i++) {
            steps.add(get("a"));
        }
        Reply<OpResult.Txn> reply = fixture.await(fixture.submit(steps.toArray(new Op[0])));
        assertThat(held()).isGreaterThan(90_000);
        reply.held().close();
    }

    @Test
    void replacedKeyValuesAreWithinTheBudget() {
        Op put = new Op.Put(Bytes.utf8("k1"), Bytes.utf8("new"), 0, true, false, false);
        Reply<OpResult.Txn> replaced = fixture.await(fixture.submit(put));
        assertThat(held()).isBetween((long) VALUE_BYTES, VALUE_BYTES + 1_000L);
        OpResult.Put first = (OpResult.Put) replaced.answer().results().get(0);
        assertThat(NodeFixture.valueOf(first.prevKv())).hasSize(VALUE_BYTES);
        replaced.held().close();
        Reply<OpResult.Txn> deleted = fixture.await(fixture.submit(new Op.Delete(KEYS, true)));
        assertThat(held()).isBetween(9L * VALUE_BYTES, 9L * VALUE_BYTES + 2_000);
        OpResult.Delete delete = (OpResult.Delete) deleted.answer().results().get(0);
        assertThat(delete.deleted()).isEqualTo(10);
        assertThat(delete.prevKvs()).hasSize(10);
        assertThat(NodeFixture.valueOf(delete.prevKvs().get(1))).isEqualTo("new");
        deleted.held().close();
    }

    @Test
    void aReplacedKeyValueIsThatBeforeTheStep() {
        KeySpan fromK5 = new KeySpan(Bytes.utf8("k5"), null, false);
        Op put = NodeFixture.putOf("k90", "w".repeat(VALUE_BYTES), 0);
        Reply<OpResult.Txn> reply =
                fixture.await(fixture.submit(put, new Op.Delete(fromK5, true), get("k90")));
        OpResult.Delete delete = (OpResult.Delete) reply.answer().results().get(1);
        assertThat(delete.revision()).isEqualTo(12);
        assertThat(delete.prevKvs()).hasSize(6);
        assertThat(NodeFixture.valueOf(delete.prevKvs().get(5))).startsWith("www");
        assertThat(((OpResult.Range) reply.answer().results().get(2)).count()).isZero();
        reply.held().close();
    }

    @Test
    void answersWaitForRoomAndAllGetIt() {
        Op[] steps = new Op[9];
        for (int i = 0; i < 9; i++) {
            steps[i] = i == 0 ? PUT : get("k" + i);
        }
        List<CompletableFuture<Reply<OpResult.Txn>>> asked = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            asked.add(fixture.submit(steps));
        }
        fixture.simulation.run();
        assertThat(held()).isBetween(1L, (long) BUDGET_BYTES);
        assertThat(asked).anyMatch(answer -> !answer.isDone());
        while (!asked.isEmpty()) {
            assertThat(asked).anyMatch(CompletableFuture::isDone);
            asked.stream()
                    .filter(CompletableFuture::isDone)
                    .forEach(answer -> answer.join().held().close());
            asked.removeIf(CompletableFuture::isDone);
            fixture.simulation.run();
        }
    }

    @Test
    void anAnswerThatWouldFillTheHeapIsRefusedWhenTheTransactionIsCommitted() {
        List<Op> steps = new ArrayList<>(List.of(PUT));
        for (int i = 0; i < 20; i++) {
            steps.add(new Op.Range(RangeQuery.of(KEYS)));
        }
        CompletableFuture<?> asked = fixture.submit(steps.toArray(new Op[0]));
        fixture.simulation.run();
        assertThatThrownBy(asked::join).hasMessageContaining("ANSWER_TOO_LARGE");
        assertThat(fixture.get("other")).isEqualTo("1");
    }

    private LeaderId self() {
        NodeStatus status = fixture.node.status();
        return new LeaderId(status.clusterId(), status.memberId(), status.epoch());
    }

    /** As a follower's call is when its client goes. */
    @Test
    void anAnswerThatIsNotWaitedForAnyMoreHoldsNothing() {
        Txn txn = new Txn(List.of(), List.of(PUT, new Op.Range(RangeQuery.of(KEYS))), List.of());
        CompletableFuture<?> asked =
                fixture.node.leaderEndpoint().leader(self()).submit(new RunTxn(txn, 100));
        assertThat(asked).isNotDone();
        asked.cancel(false);
        fixture.simulation.run();
        assertThat(held()).isZero();
    }

    private long held() {
        return fixture.node.stats().read().heldBytes();
    }

    private static Op get(String key) {
        return new Op.Range(RangeQuery.of(KeySpan.of(Bytes.utf8(key))));
    }
}
