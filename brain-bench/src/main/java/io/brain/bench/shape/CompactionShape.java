package io.brain.bench.shape;

import io.brain.bench.load.Clients;
import io.brain.bench.load.Latency;
import io.brain.bench.load.Measurement;
import io.brain.bench.load.Pace;
import io.brain.bench.load.Recorder;
import io.brain.bench.load.Script;
import io.brain.bench.load.UnexpectedAnswerException;
import io.brain.bench.load.Workload;
import io.brain.bench.wire.Answer;
import io.brain.bench.wire.GuardedTemplate;
import io.brain.bench.wire.Reply;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Rpc;
import io.brain.proto.etcd.CompactionRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Writes at a fixed rate before, during and after the physical compaction of a long history.
 *
 * @param history number of revisions, written before the stretch
 * @param perSecond rate of writes
 */
record CompactionShape(int history, int perSecond) implements Shape {

    private static final int OBJECTS = 10_000;
    private static final int CLIENTS = 300;
    private static final Duration COMPACTION_MAX = Duration.ofMinutes(3);

    @Override
    public String kind() {
        return "update while compacting";
    }

    @Override
    public String axis() {
        return "revisions";
    }

    @Override
    public long size() {
        return history;
    }

    @Override
    public boolean warmsUp() {
        return false;
    }

    @Override
    public Measurement measure(Target target) throws IOException, InterruptedException {
        int valueBytes = target.settings().valueBytes();
        Objects objects = target.objects(target.keys("replicas", 100), OBJECTS, valueBytes);
        GuardedTemplate update = Requests.update(objects.keys(), Requests.value(valueBytes));
        int[] left = {history};
        Clients past =
                target.clients(
                        CLIENTS,
                        updates(objects, update, () -> left[0]-- > 0),
                        Pace.CLOSED,
                        new Recorder(false));
        target.complete(past);
        Clients writers =
                target.clients(
                        CLIENTS,
                        updates(objects, update, () -> true),
                        new Pace(perSecond),
                        new Recorder(true));
        Duration phase = target.settings().measured();
        Compacting load = new Compacting(target, writers, objects, phase.toNanos());
        Measurement figures = target.stretch(phase.multipliedBy(2).plus(COMPACTION_MAX)).run(load);
        target.compacted(load.compactedRevision);
        return load.described(figures);
    }

    private static Supplier<Script> updates(
            Objects objects, GuardedTemplate update, BooleanSupplier isActive) {
        AtomicInteger next = new AtomicInteger();
        return () -> {
            Script script = KvScripts.update(objects, update, next.getAndIncrement(), CLIENTS);
            return new Script() {
                @Override
                public Request begin() {
                    return isActive.getAsBoolean() ? script.begin() : null;
                }

                @Override
                public Request proceed(Answer answer) throws UnexpectedAnswerException {
                    return script.proceed(answer);
                }
            };
        };
    }

    /** Compacts after one phase, and ends one phase after that. Confined to the event loop. */
    private static final class Compacting implements Workload, Reply {
        private final Target target;
        private final Clients writers;
        private final Objects objects;
        private final long phaseNanos;
        private long compactedRevision;
        private long compactedNanos;
        private long answeredNanos;
        private long startedNanos;
        private boolean stopped;

        Compacting(Target target, Clients writers, Objects objects, long phaseNanos) {
            this.target = target;
            this.writers = writers;
            this.objects = objects;
            this.phaseNanos = phaseNanos;
        }

        @Override
        public void start() {
            writers.start();
        }

        @Override
        public void stop() {
            stopped = true;
            writers.stop();
        }

        @Override
        public Recorder recorder() {
            return writers.recorder();
        }

        @Override
        public boolean isDone() {
            long now = System.nanoTime();
            long counting = recorder().startedNanos();
            if (stopped) {
                return writers.isDone();
            }
            if (counting == 0) { // during the warm-up, or afterwards
                return false;
            }
            if (compactedNanos == 0) {
                if (now - counting >= phaseNanos) {
                    startedNanos = counting;
                    compactedNanos = now;
                    recorder().endPhase();
                    compact();
                }
                return false;
            }
            boolean over = answeredNanos != 0 && now - answeredNanos >= phaseNanos;
            if (over) {
                recorder().endPhase();
            }
            return over || writers.isDone();
        }

        @Override
        public void answered(Answer answer) {
            answeredNanos = System.nanoTime();
            recorder().endPhase();
        }

        @Override
        public void failed(String why) {
            recorder().failed("Compact: " + why);
            answered(null);
        }

        Measurement described(Measurement figures) {
            List<Latency> phases = recorder().phases();
            if (phases.size() < 3) {
                return figures;
            }
            return figures.with(
                    Map.of(
                            "p99 ms before", phases.get(0).p99() / 1e3,
                            "p99 ms while compacting", phases.get(1).p99() / 1e3,
                            "p99 ms after", phases.get(2).p99() / 1e3,
                            "compaction begins at s", (compactedNanos - startedNanos) / 1e9,
                            "compaction ends at s", (answeredNanos - startedNanos) / 1e9));
        }

        private void compact() {
            long newest = 0;
            for (long revision : objects.revisions()) {
                newest = Math.max(newest, revision);
            }
            compactedRevision = newest;
            CompactionRequest request =
                    CompactionRequest.newBuilder().setRevision(newest).setPhysical(true).build();
            target.own().call(Rpc.COMPACT, request.toByteArray(), this);
        }
    }
}
