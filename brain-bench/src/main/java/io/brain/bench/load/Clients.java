package io.brain.bench.load;

import io.brain.bench.wire.Answer;
import io.brain.bench.wire.Caller;
import io.brain.bench.wire.Loop;
import io.brain.bench.wire.Reply;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Clients that each run one operation at a time, distributed over connections. */
public final class Clients implements Workload {

    /** Small against latencies of a millisecond, and cheap. */
    private static final long TICK_NANOS = 100_000;

    private static final int FAILURES_MAX = 100;

    private final Loop loop;
    private final Pace pace;
    private final Recorder recorder;
    private final ArrayDeque<Client> idle = new ArrayDeque<>();
    private final int size;
    private final Thread pacer = new Thread(this::tick, "pacer");

    private volatile boolean stopped;
    private volatile long startNanos;
    private volatile long nextIndex;
    private volatile boolean mayStart = true;
    private int active;
    private int spent;
    private int failures;

    /**
     * Creates idle clients.
     *
     * @param callers connections; client i uses number i modulo their count
     * @param scripts one per client
     */
    public Clients(
            Loop loop,
            List<? extends Caller> callers,
            List<? extends Script> scripts,
            Pace pace,
            Recorder recorder) {
        this.loop = loop;
        this.pace = pace;
        this.recorder = recorder;
        this.size = scripts.size();
        for (int i = 0; i < size; i++) {
            idle.add(new Client(callers.get(i % callers.size()), scripts.get(i)));
        }
        pacer.setDaemon(true);
    }

    @Override
    public void start() {
        startNanos = System.nanoTime();
        if (pace.isClosed()) {
            List.copyOf(idle).forEach(client -> begin(client, System.nanoTime()));
            idle.clear();
        } else {
            pacer.start();
        }
    }

    @Override
    public void stop() {
        stopped = true;
        LockSupport.unpark(pacer);
    }

    @Override
    public boolean isDone() {
        return active == 0 && (stopped || spent == size);
    }

    @Override
    public Recorder recorder() {
        return recorder;
    }

    /** Pacer thread: starts due operations. */
    private void tick() {
        while (!stopped) {
            long wait = startNanos + pace.dueNanos(nextIndex) - System.nanoTime();
            if (wait <= 0 && mayStart) {
                mayStart = false;
                loop.execute(this::beginDue);
            }
            LockSupport.parkNanos(Math.max(TICK_NANOS, wait));
        }
    }

    private void beginDue() {
        while (!stopped && !idle.isEmpty() && isDue()) {
            begin(idle.poll(), takeNext());
        }
        mayStart = true;
    }

    private boolean isDue() {
        return System.nanoTime() - startNanos >= pace.dueNanos(nextIndex);
    }

    /** Takes the next operation; returns its due time. */
    private long takeNext() {
        long index = nextIndex;
        nextIndex = index + 1;
        return startNanos + pace.dueNanos(index);
    }

    private void begin(Client client, long intendedNanos) {
        Script.Request request = client.script.begin();
        if (request == null) {
            spent++;
            return;
        }
        active++;
        client.intendedNanos = intendedNanos;
        client.send(request);
    }

    private void ended(Client client, long nowNanos) {
        active--;
        if (stopped) {
            return;
        }
        if (pace.isClosed()) {
            begin(client, nowNanos);
        } else if (isDue()) {
            begin(client, takeNext());
        } else {
            idle.add(client);
        }
    }

    private void failed(Client client, String why) {
        recorder.failed(why);
        if (++failures
                >= FAILURES_MAX) { // otherwise calls to a stopped server would fail in a tight loop
            stopped = true;
        }
        ended(client, System.nanoTime());
    }

    private final class Client implements Reply {
        private final Caller caller;
        private final Script script;
        private long intendedNanos;

        Client(Caller caller, Script script) {
            this.caller = caller;
            this.script = script;
        }

        void send(Script.Request request) {
            caller.call(request.rpc(), request.body(), this);
        }

        @Override
        public void answered(Answer answer) {
            Script.Request next;
            try {
                next = script.proceed(answer);
            } catch (UnexpectedAnswerException unexpected) {
                Clients.this.failed(this, unexpected.getMessage());
                return;
            }
            if (next != null) {
                send(next);
                return;
            }
            long now = System.nanoTime();
            recorder.done(intendedNanos, now, 1);
            ended(this, now);
        }

        @Override
        public void failed(String why) {
            Clients.this.failed(this, why);
        }
    }
}
