package io.brain.conformance.expiry;

import com.google.protobuf.ByteString;
import io.brain.conformance.linear.load.Options;
import io.brain.conformance.server.Server;
import io.brain.conformance.server.ServerCommand;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.grpc.Channel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Lets many keys expire together beside a client with a fixed rate: on Brain by a TTL rule that
 * becomes short, on etcd by leases of 200 keys that were granted together. Prints the client's
 * times before, during and after the expiry. Ends with 1 unless every key is deleted exactly once.
 */
public final class Expiry {
    private static final ByteString PREFIX = ByteString.copyFromUtf8("/expire/");
    private static final ByteString END = ByteString.copyFromUtf8("/expire0");
    private static final int KEYS_PER_LEASE = 200;
    private static final int PUTS_MAX = 64;
    private static final long EXPIRY_SECONDS_MAX = 600;

    private final int keys;
    private final long perSecond;
    private final long seconds;
    private final long leaseTtl;

    private Expiry(Options options) {
        keys = (int) options.number("--keys", 100_000);
        perSecond = options.number("--rate", 500);
        seconds = options.number("--seconds", 20);
        leaseTtl = options.number("--lease-ttl", 120);
    }

    /**
     * Runs one expiry. Arguments: {@code --target brain|etcd}, {@code --keys N} (default 100 000),
     * {@code --rate N} calls per second (500), {@code --seconds N} before and after (20), {@code
     * --lease-ttl SECONDS} for etcd, longer than filling takes and the time before (120).
     */
    public static void main(String[] args) throws Exception {
        Options options = new Options(List.of(args));
        boolean brain = options.text("--target", "brain").equals("brain");
        Path rules = Files.createTempFile("ttl-rules", "");
        boolean sound;
        try {
            Files.writeString(rules, "/expire/** = 24h\n");
            ServerCommand command = brain ? ServerCommand.compared() : ServerCommand.etcd();
            List<String> flags = brain ? List.of("--ttl-rules=" + rules) : List.of();
            try (Server server = Server.start(command, flags)) {
                sound = new Expiry(options).run(server, brain ? rules : null);
            }
        } finally {
            Files.delete(rules);
        }
        System.exit(sound ? 0 : 1);
    }

    private boolean run(Server server, Path rules) throws Exception {
        Channel channel = server.channel();
        long began = System.nanoTime();
        long revision = fill(channel, rules == null ? grant(channel) : List.of(0L));
        System.out.printf(
                Locale.ROOT, "%d keys in %.1f s%n", keys, (System.nanoTime() - began) / 1e9);
        DeleteWatcher deletes = new DeleteWatcher(channel, PREFIX, END, revision + 1);
        SteadyClient client = new SteadyClient(channel, perSecond);
        client.start();
        TimeUnit.SECONDS.sleep(seconds);
        if (deletes.keys() > 0) {
            throw new IllegalStateException("keys expired too early: raise --lease-ttl");
        }
        List<Double> before = client.take();
        if (rules != null) {
            Files.writeString(rules, "/expire/** = 1s\n");
        }
        long first = awaitDeletes(deletes, 1);
        if (rules == null) {
            before = client.take(); // until the leases expired
        }
        print("before", before);
        awaitDeletes(deletes, keys);
        print("during", client.take());
        TimeUnit.SECONDS.sleep(seconds);
        print("after", client.take());
        client.end();
        long left = count(channel);
        System.out.printf(
                Locale.ROOT,
                "%d keys deleted in %.1f s at %d revisions, %d twice, %d left%n",
                deletes.keys(),
                (deletes.lastNanos() - first) / 1e9,
                deletes.revisions(),
                deletes.twice(),
                left);
        return deletes.keys() == keys && deletes.twice() == 0 && left == 0;
    }

    private List<Long> grant(Channel channel) {
        LeaseGrpc.LeaseBlockingStub leases = LeaseGrpc.newBlockingStub(channel);
        LeaseGrantRequest request = LeaseGrantRequest.newBuilder().setTTL(leaseTtl).build();
        List<Long> granted = new ArrayList<>();
        for (int i = 0; i * KEYS_PER_LEASE < keys; i++) {
            granted.add(leases.leaseGrant(request).getID());
        }
        return granted;
    }

    /** Puts all keys; returns the newest revision. */
    private long fill(Channel channel, List<Long> leases) throws Exception {
        KVGrpc.KVFutureStub kv = KVGrpc.newFutureStub(channel);
        Semaphore room = new Semaphore(PUTS_MAX);
        for (int i = 0; i < keys; i++) {
            room.acquire();
            PutRequest put =
                    PutRequest.newBuilder()
                            .setKey(PREFIX.concat(ByteString.copyFromUtf8("key-" + i)))
                            .setValue(ByteString.copyFrom(new byte[256]))
                            .setLease(leases.get(i / KEYS_PER_LEASE % leases.size()))
                            .build();
            kv.put(put).addListener(room::release, Runnable::run);
        }
        room.acquire(PUTS_MAX);
        long stored = count(channel);
        if (stored != keys) {
            throw new IllegalStateException(stored + " of " + keys + " keys were stored");
        }
        return KVGrpc.newBlockingStub(channel)
                .range(RangeRequest.newBuilder().setKey(PREFIX).build())
                .getHeader()
                .getRevision();
    }

    private static long count(Channel channel) {
        RangeRequest all =
                RangeRequest.newBuilder()
                        .setKey(PREFIX)
                        .setRangeEnd(END)
                        .setCountOnly(true)
                        .build();
        return KVGrpc.newBlockingStub(channel).range(all).getCount();
    }

    /** Waits for a number of deletes; returns the time. */
    private static long awaitDeletes(DeleteWatcher deletes, int number)
            throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(EXPIRY_SECONDS_MAX);
        while (deletes.keys() < number && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return System.nanoTime();
    }

    private static void print(String phase, List<Double> sorted) {
        int last = sorted.size() - 1;
        if (last < 0) {
            System.out.printf("%-6s no calls%n", phase);
            return;
        }
        System.out.printf(
                Locale.ROOT,
                "%-6s %6d calls, p50 %.2f ms, p99 %.2f ms, max %.2f ms%n",
                phase,
                sorted.size(),
                sorted.get(last / 2),
                sorted.get((int) Math.ceil(last * 0.99)),
                sorted.get(last));
    }
}
