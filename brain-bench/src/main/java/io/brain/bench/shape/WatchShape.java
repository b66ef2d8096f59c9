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
 * Watchers of one prefix, and puts to it at a fixed rate. Counts delivered events, and the time of
 * each from when its put was sent; the puts' own cost is in the servers' figures.
 *
 * @param perPut true if costs are per put that all watchers were sent, else per event
 * @param eventsPerSecond that all watchers together shall be sent; decides the rate of puts
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

    /** Puts whose values begin with the time they are sent. */
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

    /** Ends when every watcher was sent what was put. */
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
            String trouble =
                    audience.trouble() == null
                            ? writers.recorder().firstFailure()
                            : audience.trouble();
            if (trouble != null) {
                recorder.failed(trouble);
                writers.stop();
                return true;
            }
            return writers.isDone() && audience.delivered() >= puts.acknowledged * watchers;
        }
    }
}
