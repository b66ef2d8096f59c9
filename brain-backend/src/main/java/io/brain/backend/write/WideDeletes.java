package io.brain.backend.write;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Reply;
import io.brain.backend.txn.EarlyHistory;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.TxnContext;
import io.brain.backend.txn.WideDeleteException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Submits a transaction. If it has a wide delete, what that replaces is first written to the
 * history in parts, and other writes wait for one part at a time; then the transaction is evaluated
 * again. Where it then deletes nothing, the history keeps a copy of a head, which means nothing.
 */
final class WideDeletes<T> {
    /** Pause after a part, in times of its duration, so that few other writes meet a part. */
    private static final int PAUSE = 8;

    private static final long PAUSE_NANOS_MAX = Duration.ofMillis(50).toNanos();

    /** Sum of the pauses: clients wait for some seconds only. */
    private static final long PAUSES_NANOS_MAX = Duration.ofSeconds(1).toNanos();

    /** After that it is evaluated with what is prepared. etcdctl waits 5 s. */
    private static final long PREPARE_NANOS_MAX = Duration.ofSeconds(4).toNanos();

    /** One that still waits for its turn then is given up, as its client soon is told. */
    private static final long WAIT_NANOS_MAX = Duration.ofSeconds(6).toNanos();

    private final Sequencer sequencer;
    private final Proposal<T> txn;
    private final Tenant tenant;
    private final int wireBytes;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private final EarlyHistory early = new EarlyHistory();
    private final long submitted;
    private KeySpan span;
    private long pausedNanos;
    private long keys;
    private long bytes;

    private WideDeletes(Sequencer sequencer, Proposal<T> txn, Tenant tenant, int wireBytes) {
        this.sequencer = sequencer;
        this.txn = txn;
        this.tenant = tenant;
        this.wireBytes = wireBytes;
        this.submitted = sequencer.runtime().clock().nanos();
    }

    /** Submits a transaction; as {@link Sequencer#submit}. */
    static <T> CompletableFuture<T> submit(
            Sequencer sequencer, Proposal<T> txn, Tenant tenant, int wireBytes) {
        WideDeletes<T> run = new WideDeletes<>(sequencer, txn, tenant, wireBytes);
        Futures.onEnd(sequencer.submit(txn, tenant, wireBytes), run::evaluated);
        return run.answer;
    }

    private void evaluated(T value, Throwable failure) {
        if (failure != null && Failures.cause(failure) instanceof WideDeleteException wide) {
            span = wide.span();
            if (!sequencer.wideDeletes().enter(wireBytes, this::begin)) {
                end(null, new BackendException(ErrorKind.TOO_MANY_REQUESTS));
            }
        } else {
            end(value, failure);
        }
    }

    private void begin() {
        if (age() > WAIT_NANOS_MAX) {
            endTurn(null, new BackendException(ErrorKind.TIMEOUT));
        } else if (age() > PREPARE_NANOS_MAX) {
            evaluateAgain();
        } else {
            read(span, null);
        }
    }

    private long age() {
        return sequencer.runtime().clock().nanos() - submitted;
    }

    private void endTurn(T value, Throwable failure) {
        end(value, failure);
        sequencer.wideDeletes().leave();
    }

    private void read(KeySpan rest, EarlyHistory copies) {
        Part part = new Part(rest, copies, sequencer.settings().partBytes());
        long began = sequencer.runtime().clock().nanos();
        Futures.onEnd(
                sequencer.submit(part, Tenant.SERVER, 0),
                (done, failure) -> {
                    if (failure == null) {
                        after(part, done, sequencer.runtime().clock().nanos() - began);
                    } else {
                        endTurn(null, failure);
                    }
                });
    }

    private void after(Part part, Part.Done done, long took) {
        if (part.early == null) {
            keys += done.keys;
            bytes += done.bytes;
        }
        // If it does not fit, it will be refused: nothing is written for it.
        if (!sequencer.settings().fits(keys, bytes) || age() > PREPARE_NANOS_MAX) {
            evaluateAgain();
        } else if (done.rest != null) {
            later(took, () -> read(done.rest, part.early));
        } else if (part.early == null) {
            later(took, () -> read(span, early));
        } else {
            later(took, this::evaluateAgain);
        }
    }

    private void later(long took, Runnable next) {
        long left = sequencer.wideDeletes().isWanted() ? 0 : PAUSES_NANOS_MAX - pausedNanos;
        long pause = Math.min(left, Math.min(PAUSE * took, PAUSE_NANOS_MAX));
        pausedNanos += pause;
        sequencer.runtime().scheduler().schedule(Duration.ofNanos(pause), Runnable::run, next);
    }

    private void evaluateAgain() {
        Proposal<T> prepared = txn.after(context -> context.useEarly(early));
        Futures.onEnd(sequencer.submit(prepared, tenant, wireBytes), this::endTurn);
    }

    private void end(T value, Throwable failure) {
        if (failure != null) {
            answer.completeExceptionally(Failures.cause(failure));
        } else if (!answer.complete(value)) {
            Reply.discard(value);
        }
    }

    /**
     * Reads the first keys of a span.
     *
     * @param early receives them after they were written to the history; null: only count them
     * @param bytesMax limit, which the last key exceeds
     */
    private record Part(KeySpan span, EarlyHistory early, long bytesMax)
            implements Proposal<Part.Done> {
        /**
         * What was read.
         *
         * @param rest the span of the other keys; null if there are none
         */
        record Done(int keys, long bytes, KeySpan rest) {}

        @Override
        public Answer<Done> evaluate(TxnContext context) {
            List<EarlyHistory.Version> versions = new ArrayList<>();
            int keys = 0;
            long bytes = 0;
            KeySpan rest = null;
            try (TxnContext.Scan scan = context.scan(span)) {
                while (rest == null && scan.next()) {
                    if (bytes + (long) BufferedTxnContext.CHANGE_OVERHEAD * keys > bytesMax) {
                        rest = new KeySpan(scan.key(), span.end(), false);
                        continue;
                    }
                    keys++;
                    bytes += scan.head().encodedLength();
                    if (early != null) {
                        versions.add(new EarlyHistory.Version(scan.key(), scan.head()));
                    }
                }
            }
            versions.forEach(context::writeEarly);
            if (early != null) {
                context.onPublished(() -> early.add(versions));
            }
            return Answer.of(new Done(keys, bytes, rest));
        }
    }
}
