package io.brain.storage.tikv;

import com.google.protobuf.ByteString;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Mutation;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import io.brain.storage.tikv.client.Backoff;
import io.brain.storage.tikv.client.Cluster;
import io.brain.storage.tikv.client.Counters;
import io.brain.storage.tikv.client.RegionFanout;
import io.brain.storage.tikv.client.TikvSettings;
import io.brain.storage.tikv.client.TimestampOracle;
import io.brain.storage.tikv.client.Wire;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commits batches and resolves uncertain commits. Thread-safe; blocks. */
final class Committer {
    private static final Logger log = LoggerFactory.getLogger(Committer.class);

    /** Limit of keys committed with the primary: they delay the result. */
    private static final int WITH_PRIMARY_BYTES = 512 << 10;

    private final TikvSettings settings;
    private final RegionFanout fanout;
    private final TimestampOracle clock;
    private final LockResolver locks;
    private final InFlight inFlight;
    private final Reader reader;
    private final Consumer<Runnable> finisher;
    private final Counters counters;
    private final ChainedTimestamps chain = new ChainedTimestamps();
    private final CommitOutcomes outcomes = new CommitOutcomes();

    /**
     * @param finisher runs the remaining work of a committed batch, on the calling thread if no
     *     other is available; never throws
     */
    Committer(TikvSettings settings, Cluster cluster, Parts parts, Consumer<Runnable> finisher) {
        this.settings = settings;
        this.clock = cluster.clock();
        this.fanout = parts.fanout();
        this.locks = parts.locks();
        this.inFlight = parts.inFlight();
        this.reader = parts.reader();
        this.counters = parts.counters();
        this.finisher = finisher;
    }

    /** Components that a committer shares with readers. */
    record Parts(
            RegionFanout fanout,
            LockResolver locks,
            InFlight inFlight,
            Reader reader,
            Counters counters) {}

    CommitResult commit(WriteBatch batch) {
        Backoff backoff = new Backoff(settings.commitTimeout());
        long chained = chain.take(batch);
        try {
            while (true) {
                try {
                    CommitResult end = attempt(batch, chained, backoff);
                    count(end, chained != 0);
                    return end;
                } catch (RefusedException refused) {
                    counters.repeatedCommits.increment();
                    chained = 0;
                    backoff.pause("keys are locked or changed by other transactions", refused);
                }
            }
        } catch (StorageException e) {
            return new CommitResult.Unavailable(e);
        }
    }

    private void count(CommitResult end, boolean chained) {
        if (end instanceof CommitResult.Committed) {
            counters.commits.increment();
            if (chained) {
                counters.chainedCommits.increment();
            }
        } else if (end instanceof CommitResult.Conflict) {
            counters.conflicts.increment();
        } else if (end instanceof CommitResult.Uncertain) {
            counters.uncertainCommits.increment();
        }
    }

    /**
     * Makes one attempt.
     *
     * @param chained a start timestamp at which the primary's guard holds; 0 for none
     * @throws RefusedException if the attempt had no effect and another may succeed
     * @throws StorageException if nothing is committed and the time is over
     */
    private CommitResult attempt(WriteBatch batch, long chained, Backoff backoff) {
        long startTs = chained != 0 ? chained : clock.now(backoff);
        CommitResult.Conflict conflict = failedGuard(batch, startTs, chained != 0);
        if (conflict != null && chained != 0) {
            // Batches with other primaries may have been committed since, so this is not final.
            throw new RefusedException(
                    RefusedException.Reason.CONFLICT, "guard failed: " + conflict.key());
        }
        if (conflict != null) {
            return conflict;
        }
        Transaction transaction = transaction(batch, startTs);
        Backoff alive = transaction.keepAlive(backoff);
        try {
            transaction.prewrite(alive);
        } catch (RuntimeException e) {
            abandon(transaction);
            throw e;
        }
        return decide(batch, transaction, alive);
    }

    private Transaction transaction(WriteBatch batch, long startTs) {
        long lockTtl = settings.lockTtl().toMillis();
        return new Transaction(fanout, locks, batch, startTs, lockTtl, WITH_PRIMARY_BYTES);
    }

    /** Commits what is prewritten. */
    private CommitResult decide(WriteBatch batch, Transaction transaction, Backoff backoff) {
        while (true) {
            long next;
            try {
                next = clock.last(2, backoff);
            } catch (RuntimeException e) {
                abandon(transaction);
                throw e;
            }
            long commitTs = next - 1;
            try {
                transaction.commitPrimary(commitTs, backoff);
            } catch (RefusedException refused) {
                if (refused.reason() == RefusedException.Reason.NO_SPACE) {
                    abandon(transaction);
                    throw new StorageException(Kind.NO_SPACE, refused.getMessage(), refused);
                }
                boolean late = refused.reason() == RefusedException.Reason.COMMIT_TS_EXPIRED;
                if (late && !backoff.isOver()) {
                    counters.commitTimestampsExpired.increment();
                    continue;
                }
                return refusedCommit(batch, transaction, refused, backoff);
            } catch (RuntimeException e) { // resolved by start timestamp
                return uncertain(batch, transaction, e);
            }
            chain.add(batch, next);
            return committed(batch, transaction, commitTs);
        }
    }

    private CommitResult committed(WriteBatch batch, Transaction transaction, long commitTs) {
        outcomes.put(batch, new CommitOutcomes.Outcome(transaction.startTs(), commitTs));
        finish(transaction, commitTs);
        return new CommitResult.Committed(commitTs);
    }

    /** The lock is missing, probably rolled back by another process. Resolves the transaction. */
    private CommitResult refusedCommit(
            WriteBatch batch, Transaction transaction, RefusedException refused, Backoff backoff) {
        try {
            long commitTs = locks.resolve(transaction.primary(), transaction.startTs(), backoff);
            if (commitTs != 0) {
                return committed(batch, transaction, commitTs);
            }
        } catch (StorageException e) {
            e.addSuppressed(refused);
            return uncertain(batch, transaction, e);
        }
        abandon(transaction);
        throw refused;
    }

    private CommitResult uncertain(
            WriteBatch batch, Transaction transaction, RuntimeException cause) {
        outcomes.put(batch, new CommitOutcomes.Outcome(transaction.startTs(), 0));
        String message = "no response to commit: " + cause.getMessage();
        return new CommitResult.Uncertain(new StorageException(Kind.UNAVAILABLE, message, cause));
    }

    /** Rolls back a transaction whose commit was not and will not be sent. */
    private void abandon(Transaction transaction) {
        locks.abandon(transaction.startTs());
        try {
            transaction.rollback(new Backoff(settings.rpcTimeout()));
        } catch (StorageException | RefusedException left) {
            // Readers resolve the locks: at once in this process, after the TTL in others.
            log.debug("locks left by aborted batch startTs={}", transaction.startTs(), left);
        }
    }

    private void finish(Transaction transaction, long commitTs) {
        if (!transaction.hasSecondaries()) {
            return;
        }
        inFlight.begin(transaction.startTs());
        finisher.accept(
                () -> {
                    try {
                        transaction.commitSecondaries(
                                commitTs, new Backoff(settings.commitTimeout()));
                    } finally {
                        inFlight.end(transaction.startTs());
                    }
                });
    }

    private CommitResult.Conflict failedGuard(
            WriteBatch batch, long startTs, boolean primaryHolds) {
        List<Mutation> guards =
                batch.mutations().stream()
                        .skip(primaryHolds ? 1 : 0)
                        .filter(Mutation::isGuarded)
                        .toList();
        if (guards.isEmpty()) {
            return null;
        }
        List<ByteString> keys = guards.stream().map(guard -> Wire.of(guard.key())).toList();
        ReadPoint point = new ReadPoint(startTs);
        if (keys.size() == 1) {
            Bytes actual = reader.get(keys.get(0), point);
            return guards.get(0).holds(actual) ? null : conflict(guards.get(0), actual);
        }
        Map<ByteString, Bytes> found = reader.get(keys, point);
        for (int i = 0; i < keys.size(); i++) {
            Bytes actual = found.get(keys.get(i));
            if (!guards.get(i).holds(actual)) {
                return conflict(guards.get(i), actual);
            }
        }
        return null;
    }

    private static CommitResult.Conflict conflict(Mutation guard, Bytes actual) {
        return new CommitResult.Conflict(guard.key(), Optional.ofNullable(actual));
    }

    CommitResult resolve(WriteBatch batch) {
        Backoff backoff = new Backoff(settings.commitTimeout());
        CommitOutcomes.Outcome known = outcomes.get(batch);
        try {
            if (known == null) {
                return resolveByValue(batch, backoff);
            }
            if (known.commitTs() != 0) {
                return new CommitResult.Committed(known.commitTs());
            }
            Transaction transaction = transaction(batch, known.startTs());
            long commitTs = locks.resolve(transaction.primary(), known.startTs(), backoff);
            if (commitTs != 0) {
                return committed(batch, transaction, commitTs);
            }
            outcomes.remove(batch);
            abandon(transaction);
            return new CommitResult.Unavailable(
                    new StorageException(Kind.UNAVAILABLE, "batch was rolled back"));
        } catch (StorageException e) {
            return new CommitResult.Uncertain(e);
        }
    }

    /** Ends another process's transaction in flight with this primary. */
    void fenceOff(Bytes primary) {
        chain.cut(primary);
        locks.fenceOff(Wire.of(primary), new Backoff(settings.commitTimeout()));
    }

    /**
     * Resolves a batch of a terminated process, or one that was never sent: without a lock on its
     * primary it can no longer be committed.
     */
    private CommitResult resolveByValue(WriteBatch batch, Backoff backoff) {
        long timestamp = clock.now(backoff);
        ByteString key = Wire.of(batch.primary().key());
        Bytes actual = reader.getUnlocked(key, new ReadPoint(timestamp));
        if (batch.resolvingValue().equals(actual)) {
            outcomes.put(batch, new CommitOutcomes.Outcome(timestamp, timestamp));
            return new CommitResult.Committed(timestamp);
        }
        return new CommitResult.Unavailable(
                new StorageException(Kind.UNAVAILABLE, "batch was not committed"));
    }
}
