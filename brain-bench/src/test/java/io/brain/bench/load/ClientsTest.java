package io.brain.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.bench.wire.Answer;
import io.brain.bench.wire.Caller;
import io.brain.bench.wire.Loop;
import io.brain.bench.wire.Reply;
import io.brain.bench.wire.Rpc;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientsTest {

    private final Loop loop = new Loop();
    private final Server server = new Server();

    @AfterEach
    void stop() {
        loop.close();
    }

    @Test
    void aStallDelaysAllOperationsDueMeanwhile() throws Exception {
        server.silentMillis = 1_000;
        Clients clients = clients(1, new Pace(200), Long.MAX_VALUE);

        Measurement figures = run(clients, Duration.ofMillis(1_500));

        // One call was slow; 200 others, which were not sent because of it, waited too.
        assertThat(figures.latency().p50()).isGreaterThan(20_000);
        assertThat(figures.latency().max()).isGreaterThan(990_000);
        assertThat(figures.units()).isGreaterThan(120);
    }

    @Test
    void aClosedLoopHasOneCallPerClient() throws Exception {
        Clients clients = clients(7, Pace.CLOSED, Long.MAX_VALUE);

        run(clients, Duration.ofSeconds(1));

        assertThat(server.mostUnderWay).isEqualTo(7);
    }

    @Test
    void aFiniteScriptRunsEachOperationOnce() throws Exception {
        Clients clients = clients(3, Pace.CLOSED, 100);

        Measurement figures = run(clients, Duration.ofSeconds(20));

        assertThat(figures.seconds()).isLessThan(10);
        assertThat(server.calls).isEqualTo(100);
    }

    @Test
    void tooManyFailuresEndTheLoad() throws Exception {
        server.fails = true;
        Clients clients = clients(3, Pace.CLOSED, Long.MAX_VALUE);

        Measurement figures = run(clients, Duration.ofSeconds(20));

        assertThat(figures.units()).isZero();
        assertThat(figures.failures().count()).isBetween(100L, 110L);
        assertThat(figures.failures().first()).isEqualTo("refused");
    }

    private Measurement run(Clients clients, Duration measured)
            throws IOException, InterruptedException {
        return new Stretch(loop, ProcessHandle.current().pid(), Duration.ZERO, measured)
                .run(clients);
    }

    private Clients clients(int count, Pace pace, long callsMax) {
        long[] left = {callsMax};
        List<Script> scripts =
                IntStream.range(0, count).mapToObj(i -> (Script) new OneGet(left)).toList();
        return new Clients(loop, List.of(server), scripts, pace, new Recorder(false));
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record OneGet(long[] left) implements Script {
        @Override
        public Request begin() {
            return left[0]-- > 0 ? new Request(Rpc.RANGE, new byte[0]) : null;
        }

        @Override
        public Request proceed(Answer answer) {
            return null;
        }
    }

    /** Answers at the loop's next turn, but not in the first so many milliseconds. */
    private final class Server implements Caller {
        private final Queue<Reply> waiting = new ArrayDeque<>();
        private int silentMillis;
        private boolean fails;
        private int calls;
        private int mostUnderWay;
        private long firstNanos;

        @Override
        public void call(Rpc rpc, byte[] request, Reply reply) {
            firstNanos = calls == 0 ? System.nanoTime() : firstNanos;
            calls++;
            waiting.add(reply);
            mostUnderWay = Math.max(mostUnderWay, waiting.size());
            loop.execute(this::answer);
        }

        private void answer() {
            if (System.nanoTime() - firstNanos < silentMillis * 1_000_000L) {
                loop.execute(this::answer);
            } else if (fails) {
                waiting.remove().failed("refused");
            } else {
                waiting.remove().answered(new Answer(1, 0, 0, 0, 0));
            }
        }

        @Override
        public void close() {}
    }
}
