package io.brain.conformance.resume;

import com.google.protobuf.ByteString;
import io.brain.conformance.linear.load.Options;
import io.brain.conformance.server.Server;
import io.brain.conformance.server.ServerCommand;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.grpc.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Many watchers of idle prefixes, on a server that takes writes elsewhere and is compacted at its
 * newest revision again and again. Each watcher resumes once a minute, in turn. Prints how often a
 * watcher was told that its revision is compacted.
 */
public final class IdleWatches {
    private static final int PUTS_PER_SECOND = 50;

    private final int watchers;
    private final long seconds;
    private final long interval;
    private final long away;

    private IdleWatches(Options options) {
        watchers = (int) options.number("--watchers", 1000);
        seconds = options.number("--seconds", 300);
        interval = options.number("--compact-every", 10);
        away = options.number("--away", 0);
    }

    /**
     * Runs it on one server. Arguments: {@code --target brain|etcd}, {@code --watchers N} (default
     * 1000), {@code --seconds N} (300), {@code --compact-every SECONDS} (10), {@code --away
     * SECONDS} between leaving and resuming (0), {@code --resume REVISIONS} of Brain's flag (0).
     */
    public static void main(String[] args) throws Exception {
        Options options = new Options(List.of(args));
        boolean brain = options.text("--target", "brain").equals("brain");
        ServerCommand command = brain ? ServerCommand.compared() : ServerCommand.etcd();
        List<String> flags =
                brain
                        ? List.of(
                                "--watch-progress-before-compaction=true",
                                "--watch-resume-below-compaction=" + options.number("--resume", 0))
                        : List.of();
        try (Server server = Server.start(command, flags)) {
            new IdleWatches(options).run(command.name(), server.channel());
        }
    }

    private void run(String name, Channel channel) throws InterruptedException {
        KVGrpc.KVBlockingStub kv = KVGrpc.newBlockingStub(channel);
        long start = put(kv) + 1;
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        List<IdleWatcher> idle = new ArrayList<>();
        for (int i = 0; i < watchers; i++) {
            ByteString prefix = ByteString.copyFromUtf8("/idle/" + i + "/");
            IdleWatcher watcher = new IdleWatcher(channel, prefix, start, timer);
            watcher.open();
            idle.add(watcher);
        }
        long began = System.nanoTime();
        int turn = 0;
        int compactions = 0;
        for (long put = 0; put < seconds * PUTS_PER_SECOND; put++) {
            long revision = put(kv);
            if (put % (interval * PUTS_PER_SECOND) == interval * PUTS_PER_SECOND - 1) {
                kv.compact(CompactionRequest.newBuilder().setRevision(revision).build());
                compactions++;
            }
            // Each watcher leaves once a minute.
            long due = (put + 1) * watchers / (60L * PUTS_PER_SECOND);
            for (; turn < due; turn++) {
                idle.get(turn % watchers).leave(away);
            }
            long next = began + (put + 1) * TimeUnit.SECONDS.toNanos(1) / PUTS_PER_SECOND;
            TimeUnit.NANOSECONDS.sleep(Math.max(0, next - System.nanoTime()));
        }
        TimeUnit.SECONDS.sleep(away + 1);
        idle.forEach(IdleWatcher::end);
        timer.shutdownNow();
        System.out.printf(
                Locale.ROOT,
                "%s: %d watchers, %d compactions, resumed %d times, compacted %d times, events %d,"
                        + " failed streams %d%n",
                name,
                watchers,
                compactions,
                idle.stream().mapToInt(IdleWatcher::resumed).sum(),
                idle.stream().mapToInt(IdleWatcher::compacted).sum(),
                idle.stream().mapToInt(IdleWatcher::events).sum(),
                idle.stream().filter(watcher -> watcher.failure().isPresent()).count());
    }

    private static long put(KVGrpc.KVBlockingStub kv) {
        ByteString key = ByteString.copyFromUtf8("/busy");
        return kv.put(PutRequest.newBuilder().setKey(key).setValue(key).build())
                .getHeader()
                .getRevision();
    }
}
