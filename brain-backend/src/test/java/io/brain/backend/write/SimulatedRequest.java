package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.txn.EarlyHistory;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.TxnContext;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A random request: a list of steps whose observations are its answer. The same steps on the {@link
 * Model} give the expected answer. A write begins with a put that names it, so that the store shows
 * which requests were committed.
 */
final class SimulatedRequest implements Proposal<SimulatedRequest.Seen> {
    private static final int KEYS = 12;
    private static final int LEASES = 3;

    /** The observations of a request, and their revision. */
    record Seen(long revision, List<String> observations) {}

    private final List<BiConsumer<KvView, List<String>>> steps = new ArrayList<>();
    private final List<Bytes> named = new ArrayList<>();
    private final boolean writes;
    private final boolean refuses;
    private final KeyCoder coder;

    /** Versions that earlier requests of the same leader wrote to the history. */
    EarlyHistory early = new EarlyHistory();

    CompletableFuture<Seen> answer;

    /** Newest revision that a client had seen when the request was submitted. */
    long knownBefore;

    SimulatedRequest(int id, Random random, KeyCoder coder) {
        this.coder = coder;
        writes = random.nextInt(4) != 0;
        refuses = random.nextInt(12) == 0;
        if (writes) {
            Bytes key = key(random);
            Bytes value = Bytes.utf8("id" + id + "-" + "x".repeat(random.nextInt(60)));
            long lease = random.nextInt(LEASES);
            if (random.nextInt(20) == 0) {
                Bytes dropped = key(random);
                steps.add((view, seen) -> seen.add("dropped " + view.dropTombstone(dropped)));
                key = Bytes.utf8("dropper");
            }
            Bytes target = key;
            named.add(target);
            steps.add((view, seen) -> view.put(target, value, lease));
        }
        if (!writes && random.nextBoolean()) {
            for (int keys = 1 + random.nextInt(KEYS); keys > 0; keys--) {
                Bytes early = key(random);
                steps.add((view, seen) -> view.writeEarly(early));
            }
        }
        for (int more = random.nextInt(4); more > 0; more--) {
            steps.add(step(random, id));
        }
    }

    /** The id of the request whose first put made {@code kv}. */
    static int idOf(KeyValue kv) {
        String value = kv.value().toString();
        return Integer.parseInt(value.substring(2, value.indexOf('-')));
    }

    boolean writes() {
        return writes;
    }

    boolean refuses() {
        return refuses;
    }

    @Override
    public Answer<Seen> evaluate(TxnContext context) {
        context.useEarly(early);
        Seen seen = run(KvView.of(context, early));
        if (refuses) {
            throw new BackendException(ErrorKind.KEY_NOT_FOUND);
        }
        return Answer.of(seen);
    }

    @Override
    public void collectKeys(Consumer<Bytes> keys) {
        named.forEach(keys);
    }

    /** Runs the steps. */
    Seen run(KvView view) {
        List<String> seen = new ArrayList<>();
        steps.forEach(step -> step.accept(view, seen));
        return new Seen(view.headerRevision(), seen);
    }

    private BiConsumer<KvView, List<String>> step(Random random, int id) {
        Bytes key = key(random);
        named.add(key);
        KeySpan span = span(random);
        long lease = 1L + random.nextInt(LEASES - 1);
        BiConsumer<KvView, List<String>> read =
                switch (random.nextInt(3)) {
                    case 0 -> (view, seen) -> seen.add("keys " + view.keys(span));
                    case 1 -> (view, seen) -> seen.add("record " + view.record(small(key)));
                    default -> (view, seen) -> seen.add("got " + show(view.get(key)));
                };
        if (!writes) {
            return read;
        }
        Bytes value = Bytes.utf8("id" + id + "-more");
        return switch (random.nextInt(8)) {
            case 0 -> (view, seen) -> view.put(key, value, lease);
            case 1 -> (view, seen) -> deleteIfThere(view, key, seen);
            case 2 -> (view, seen) -> deleteAll(view, view.keys(span), seen);
            case 3 -> (view, seen) -> seen.add("ended " + view.deleteAttached(lease));
            case 4 -> (view, seen) -> view.putRecord(small(key), value);
            case 5 -> (view, seen) -> view.deleteRecord(small(key));
            default -> read;
        };
    }

    private static void deleteIfThere(KvView view, Bytes key, List<String> seen) {
        KeyValue kv = view.get(key);
        seen.add("deletes " + show(kv));
        if (kv != null) {
            view.delete(key);
        }
    }

    private static void deleteAll(KvView view, List<Bytes> keys, List<String> seen) {
        seen.add("deletes " + keys);
        keys.forEach(view::delete);
    }

    private static String show(KeyValue kv) {
        return kv == null ? "nothing" : kv.encoded().toString();
    }

    private Bytes small(Bytes key) {
        return coder.leaseKey(key.hashCode());
    }

    private static Bytes key(Random random) {
        return Bytes.utf8("key" + random.nextInt(KEYS));
    }

    private static KeySpan span(Random random) {
        Bytes start = key(random);
        return random.nextInt(4) == 0
                ? new KeySpan(start, null, false)
                : KeySpan.of(start, key(random));
    }
}
