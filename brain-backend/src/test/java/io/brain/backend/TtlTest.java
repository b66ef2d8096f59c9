package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.model.Op;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys under a rule expire; other keys do not. */
class TtlTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final TtlFixture ttl = new TtlFixture(1, "/e/** = 10m\n/long/** = 1h");
    private final NodeFixture node = ttl.node;
    private boolean full;

    @BeforeEach
    void open() {
        node.faults =
                storage ->
                        new ForwardingKvStorage(storage) {
                            @Override
                            public CompletionStage<CommitResult> commit(WriteBatch batch) {
                                return full ? tooLarge() : super.commit(batch);
                            }
                        };
        node.open();
    }

    @Test
    void keysExpireTogetherByOneRevisionOfDeletes() {
        node.put("/e/a", "1");
        node.txn(NodeFixture.putOf("/e/b", "1", 0), NodeFixture.putOf("/e/c", "1", 0));
        node.put("/other/e/a", "1");
        long revision = ttl.revision();
        node.advance(MINUTE.multipliedBy(10).minusSeconds(1));
        assertThat(node.get("/e/a")).isEqualTo("1");
        assertThat(ttl.revision()).isEqualTo(revision);
        node.advance(Duration.ofSeconds(2));
        assertThat(node.get("/e/a")).isNull();
        assertThat(node.get("/e/b")).isNull();
        assertThat(node.get("/e/c")).isNull();
        assertThat(node.get("/other/e/a")).isEqualTo("1");
        assertThat(ttl.revision()).isEqualTo(revision + 1);
        assertThat(ttl.records()).isEmpty();
        assertThat(ttl.expired).containsOnly(Map.entry("/e/**", 3));
    }

    @Test
    void aNewVersionHasANewDeadline() {
        node.put("/e/a", "1");
        node.advance(MINUTE.multipliedBy(9));
        long second = node.put("/e/a", "2");
        assertThat(ttl.records()).extracting(record -> record.revision()).containsExactly(second);
        node.advance(MINUTE.multipliedBy(9));
        assertThat(node.get("/e/a")).isEqualTo("2");
        node.advance(MINUTE.multipliedBy(2));
        assertThat(node.get("/e/a")).isNull();
    }

    @Test
    void aKeyThatWasDeletedHasNoDeadline() {
        node.put("/e/a", "1");
        node.delete("/e/a");
        assertThat(ttl.records()).isEmpty();
        node.txn(
                NodeFixture.putOf("/e/b", "1", 0),
                new Op.Put(Bytes.utf8("/e/c"), Bytes.utf8("1"), 0, false, false, false),
                NodeFixture.deleteOf("/e/a"));
        assertThat(ttl.records()).hasSize(2);
    }

    @Test
    void aKeyWithALeaseHasOnlyThat() {
        node.await(node.node.submit(new GrantLease(7, 3600)));
        node.put("/e/a", "1");
        node.put("/e/a", "1", 7);
        assertThat(ttl.records()).isEmpty();
        node.advance(MINUTE.multipliedBy(20));
        assertThat(node.get("/e/a")).isEqualTo("1");
        node.put("/e/a", "2");
        node.advance(MINUTE.multipliedBy(11));
        assertThat(node.get("/e/a")).isNull();
    }

    @Test
    void deadlinesSurviveARestart() {
        node.put("/e/a", "1");
        node.put("/long/a", "1");
        node.advance(MINUTE.multipliedBy(9));
        node.crash();
        node.advance(MINUTE.multipliedBy(2));
        assertThat(node.get("/e/a")).isNull();
        node.crash();
        assertThat(node.get("/long/a")).isEqualTo("1");
        node.advance(MINUTE.multipliedBy(50));
        assertThat(node.get("/long/a")).isNull();
    }

    @Test
    void changedRulesApplyToKeysThatHadARule() {
        node.put("/e/a", "1");
        node.put("/e/b", "1");
        ttl.setRules("/e/a = 1m\n/e/** = 2h");
        node.advance(MINUTE.plusSeconds(2));
        assertThat(node.get("/e/a")).isNull();
        node.advance(MINUTE.multipliedBy(100));
        assertThat(node.get("/e/b")).isEqualTo("1");
        node.advance(MINUTE.multipliedBy(30));
        assertThat(node.get("/e/b")).isNull();
    }

    @Test
    void withoutARuleNothingExpiresAndTheRecordIsDroppedAfterTheLongestTtl() {
        node.put("/e/a", "1");
        ttl.setRules("/long/** = 1h");
        node.advance(MINUTE.multipliedBy(30));
        assertThat(ttl.records()).hasSize(1);
        node.advance(MINUTE.multipliedBy(31));
        assertThat(node.get("/e/a")).isEqualTo("1");
        assertThat(ttl.records()).isEmpty();
        ttl.setRules("/e/** = 1m");
        node.advance(MINUTE.multipliedBy(30));
        assertThat(node.get("/e/a")).isEqualTo("1");
    }

    @Test
    void aRecordOfAReplacedVersionDeletesNothing() {
        node.put("/e/a", "1");
        ttl.setRules("");
        node.put("/e/a", "2");
        assertThat(ttl.records()).hasSize(1);
        ttl.setRules("/e/** = 10m");
        node.advance(MINUTE.multipliedBy(30));
        assertThat(node.get("/e/a")).isEqualTo("2");
        assertThat(ttl.records()).isEmpty();
    }

    @Test
    void withoutRulesNothingIsStored() {
        ttl.setRules("");
        node.put("/e/a", "1");
        assertThat(ttl.records()).isEmpty();
    }

    @Test
    void anExpiryThatFailsIsRepeated() {
        node.put("/e/a", "1");
        node.advance(MINUTE.multipliedBy(9));
        full = true;
        node.advance(MINUTE.plusSeconds(10));
        assertThat(node.get("/e/a")).isEqualTo("1");
        full = false;
        node.advance(Duration.ofSeconds(4));
        assertThat(node.get("/e/a")).isNull();
    }

    @Test
    void manyKeysTakeOneRevisionFor200() {
        for (int i = 0; i < 1001; i++) {
            node.put("/e/" + i, "1");
        }
        long revision = ttl.revision();
        node.advance(MINUTE.multipliedBy(11));
        assertThat(ttl.records()).isEmpty();
        assertThat(ttl.revision()).isEqualTo(revision + 6);
        assertThat(ttl.expired).containsEntry("/e/**", 1001);
    }

    @Test
    void shortTtlsDoNotWaitForKeysOfLongOnes() {
        for (int i = 0; i < 5000; i++) {
            node.put("/long/" + i, "1");
        }
        node.put("/e/a", "1");
        node.advance(MINUTE.multipliedBy(10).plusSeconds(1));
        assertThat(node.get("/e/a")).isNull();
        assertThat(ttl.records()).hasSize(5000);
    }

    private static CompletionStage<CommitResult> tooLarge() {
        return CompletableFuture.completedFuture(
                new CommitResult.Unavailable(
                        new StorageException(
                                StorageException.Kind.TOO_LARGE, "expected by the test")));
    }
}
