package io.brain.admin.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.election.TermContext.TermSettings;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.compact.CompactSettings;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.write.WriteSettings;
import io.brain.storage.Bytes;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random writes and compactions with crashes in between: the store never appears damaged. */
class CheckUnderCompactionTest {
    private static final int OPERATIONS = 120;

    private Random random;
    private SteppedRuntime stepped;
    private NodeSettings settings;
    private MemoryStorage storage;
    private Node node;
    private long revision = 1;
    private long compacted;

    static IntStream seeds() {
        Integer only = Integer.getInteger("seed");
        return only == null
                ? IntStream.range(0, Integer.getInteger("seeds", 40))
                : IntStream.of(only);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aStoreIsIntactAtAnyMomentOfACompaction(int seed) {
        random = new Random(seed);
        stepped = new SteppedRuntime(new Random(random.nextLong()));
        settings =
                NodeSettings.defaults(8 << 20)
                        .withTerm(
                                new TermSettings(
                                        random.nextBoolean()
                                                ? TermSettings.DEFAULTS.write()
                                                : smallBatches(),
                                        TermSettings.DEFAULTS.lease(),
                                        smallSteps()));
        storage = new MemoryStorage(stepped, Set.of(StorageTrait.EXCLUSIVE_OPEN));
        open();
        for (int i = 0; i < OPERATIONS; i++) {
            operate();
        }
        check();
    }

    /** With them a delete of a range writes what it replaces to the history first. */
    private static WriteSettings smallBatches() {
        return new WriteSettings(1000, 1 << 20, 1000, 1000, 1 << 16, 512 << 10, 1 << 10, 64 << 20);
    }

    private CompactSettings smallSteps() {
        return new CompactSettings(
                1 + random.nextInt(10),
                1 + random.nextInt(200),
                1 + random.nextInt(200),
                1 + random.nextInt(4),
                Duration.ofMillis(random.nextInt(10)),
                Duration.ofMillis(50),
                random.nextInt(20),
                random.nextLong(50));
    }

    private void open() {
        node = Node.open(storage, settings, stepped.runtime());
        stepped.await(node.elected());
    }

    private void operate() {
        int dice = random.nextInt(100);
        if (dice < 50) {
            Bytes value = Bytes.wrap(new byte[random.nextInt(40)]);
            write(new Op.Put(key(), value, 0, false, false, false));
        } else if (dice < 70) {
            write(new Op.Delete(KeySpan.of(key()), false));
        } else if (dice < 75) {
            write(new Op.Delete(KeySpan.of(key(), Bytes.wrap(new byte[1])), false));
        } else if (dice < 88) {
            compact();
        } else if (dice < 90) {
            crashDuringDelete();
        } else {
            for (int steps = random.nextInt(40); steps > 0; steps--) {
                stepped.step();
            }
            if (random.nextBoolean()) {
                crash();
            }
            check();
        }
    }

    private void write(Op op) {
        Txn txn = new Txn(List.of(), List.of(op), List.of());
        Reply<OpResult.Txn> reply = stepped.await(node.txn(txn, 100));
        reply.held().close();
        revision = reply.answer().revision();
    }

    private void crashDuringDelete() {
        Op all = new Op.Delete(KeySpan.ALL, false);
        assertThat(node.txn(new Txn(List.of(), List.of(all), List.of()), 100)).isNotNull();
        for (int steps = random.nextInt(30); steps > 0; steps--) {
            stepped.step();
        }
        crash();
        var read = stepped.await(node.range(RangeQuery.of(KeySpan.of(key()))));
        read.held().close();
        revision = read.answer().revision();
        check();
    }

    private void compact() {
        long target = revision - random.nextInt(12);
        if (target > compacted) {
            compacted = target;
            stepped.await(node.submit(new Compact(target, random.nextInt(3) == 0)));
        }
    }

    private void crash() {
        storage.crash();
        node.close();
        stepped.drain();
        storage = storage.openAgain(stepped);
        open();
    }

    private void check() {
        List<String> damages = new ArrayList<>();
        CheckReport report =
                new StoreCheck(storage, "", damages::add, (step, progress) -> {}).run();
        assertThat(damages).isEmpty();
        assertThat(report.revision()).isEqualTo(revision);
    }

    private Bytes key() {
        return Bytes.utf8("k" + random.nextInt(12));
    }
}
