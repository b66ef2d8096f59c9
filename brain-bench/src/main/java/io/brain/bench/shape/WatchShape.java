package io.brain.bench.shape;

import io.brain.bench.load.Clients;
import io.brain.bench.load.Measurement;
import io.brain.bench.load.Pace;
import io.brain.bench.load.Recorder;
import io.brain.bench.load.Script;
import io.brain.bench.load.UnexpectedAnswerException;
import io.brain.bench.load.Workload;
import io.brain.bench.wire.Answer;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Rpc;
import io.brain.bench.wire.Template;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Watchers of one prefix, and puts to it at a fixed rate. Measures delivered events, with the
 * latency from sending the put; the cost of the puts is included.
 *
 * @param perPut whether costs are per put delivered to all watchers, instead of per event
 * @param eventsPerSecond events for all watchers together; determines the rate of puts
 */
record WatchShape(boolean perPut, int watchers, int eventsPerSecond) implements Shape {

    private static final int KEYS = 1_000;
    private static final int PUTS_PER_SECOND_MIN = 5;
    private static final int PUTS_PER_SECOND_MAX = 2_000;
    private static final int CLIENTS = 64;
    private static final int VALUE_BYTES = 512;

    @Override
    public String kind() {
        return perPut ? "watch-slow" : "watch";
    }

    @Override
    public String axis() {
        return "watchers";
    }

    @Override
    public long size() {
        return watchers;
    }

    @Override
    public String unit() {
        return perPut ? "put" : "event";
    }

    @Override
    public Measurement measure(Target target) throws IOException, InterruptedException {
        KeySpace keys = target.keys("nodes", 1);
        Template put = Requests.put(keys, Requests.value(VALUE_BYTES));
        Recorder events = new Recorder(false);
        int rate =
                Math.max(
                        PUTS_PER_SECOND_MIN,
                        Math.min(PUTS_PER_SECOND_MAX, eventsPerSecond / watchers));
        LongConsumer received =
                new LongConsumer() {
                    private long count;

                    @Override
                    public void accept(long sent) {
                        boolean isUnit = !perPut || ++count % watchers == 0;
                        events.done(sent, System.nanoTime(), isUnit ? 1 : 0);
                    }
                };
        try (Watchers audience = new Watchers(target, received)) {
            audience.open(watchers, i -> Watchers.range(keys.key(0), keys.end()));
            Puts puts = new Puts(put);
            Clients writers =
                    target.clients(
                            CLIENTS, () -> puts.script(), new Pace(rate), new Recorder(false));
            Measurement figures =
                    target.stretch().run(new FanOut(writers, puts, audience, events, watchers));
            return figures.with(Map.of("puts per second", (double) rate));
        }
    }

    /** Puts whose values start with the send time. */
    private static final class Puts {
        private final Template template;
        private int next;
        private long acknowledged;

        Puts(Template template) {
            this.template = template;
        }

        Script script() {
            return new KvScripts.OneCall() {
                @Override
                public Request begin() {
                    next = (next + 1) % KEYS;
                    byte[] body = template.of(next);
                    ByteBuffer.wrap(body).putLong(body.length - VALUE_BYTES, System.nanoTime());
                    return new Request(Rpc.PUT, body);
                }

                @Override
                void check(Answer answer) throws UnexpectedAnswerException {
                    acknowledged++;
                }
            };
        }
    }

    /** Done when all watchers received all events. */
    private record FanOut(
            Clients writers, Puts puts, Watchers audience, Recorder recorder, int watchers)
            implements Workload {

        @Override
        public void start() {
            writers.start();
        }

        @Override
        public void stop() {
            writers.stop();
        }

        @Override
        public boolean isDone() {
            String failure =
                    audience.failure() == null
                            ? writers.recorder().firstFailure()
                            : audience.failure();
            if (failure != null) {
                recorder.failed(failure);
                writers.stop();
                return true;
            }
            return writers.isDone() && audience.delivered() >= puts.acknowledged * watchers;
        }
    }
}
