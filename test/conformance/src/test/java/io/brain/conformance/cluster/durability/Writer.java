package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.durability.LeaseCheck.Granted;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeResponse;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * One client that writes until its server is gone, and keeps an account of it. It has one write
 * under way at a time. Used by one thread; the account is read after that thread has ended.
 */
final class Writer implements Runnable {

    private static final int PLAIN_KEYS = 200;
    private static final int GROUPS = 8;
    private static final int GROUP_KEYS = 5;
    private static final int SWAP_KEYS = 4;
    private static final int LEASED_KEYS = 4;
    private static final int SHORT_LEASE_SECONDS_MIN = 2;
    private static final int SHORT_LEASE_SECONDS_MAX = 4;

    private final EtcdClient client;
    private final String name;
    private final long firstLease;
    private final Random random;
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Granted> granted = new ArrayList<>();
    private final List<Granted> endedTooSoon = new ArrayList<>();
    private Optional<StatusRuntimeException> end = Optional.empty();
    private int tokens;
    private int leasedKeys;
    private int leases;
    private long currentLease;

    /**
     * @param name is part of every token; no two writers of a suite share one
     * @param firstLease the first of a thousand lease ids that are this writer's own
     */
    Writer(String target, String name, long firstLease, Random random) {
        this.client = new EtcdClient(target);
        this.name = name;
        this.firstLease = firstLease;
        this.random = random;
    }

    @Override
    public void run() {
        try (client) {
            while (true) {
                writeOnce();
            }
        } catch (StatusRuntimeException gone) {
            end = Optional.of(gone);
        }
    }

    /** All that was sent, in order. */
    List<Attempt> attempts() {
        return attempts;
    }

    /** The leases that were asked for. */
    List<Granted> granted() {
        return granted;
    }

    /** Short leases that no key could be put with though their time was not over. */
    List<Granted> endedTooSoon() {
        return endedTooSoon;
    }

    /** What ended the run. */
    Optional<StatusRuntimeException> end() {
        return end;
    }

    private void writeOnce() {
        int dice = random.nextInt(100);
        if (dice < 35) {
            put(new Write.Put("plain/" + random.nextInt(PLAIN_KEYS), token(), 0));
        } else if (dice < 50) {
            putAll(random.nextInt(GROUPS));
        } else if (dice < 60) {
            move(random.nextInt(GROUPS));
        } else if (dice < 75) {
            swap("swap/" + random.nextInt(SWAP_KEYS));
        } else if (dice < 85) {
            String key = "plain/" + random.nextInt(PLAIN_KEYS);
            delete(new Write.Delete(key, key + '\0'));
        } else if (dice < 89) {
            String group = "group/" + random.nextInt(GROUPS);
            delete(new Write.Delete(group + "/", group + "0"));
        } else if (dice < 98) {
            useLease();
        } else {
            useShortLease();
        }
    }

    private void put(Write.Put put) {
        PutRequest request =
                PutRequest.newBuilder()
                        .setKey(Keys.of(put.key()))
                        .setValue(Payload.of(put.token()))
                        .setLease(put.lease())
                        .build();
        attempt(
                put,
                () ->
                        Attempt.acknowledged(
                                put, client.kv().put(request).getHeader().getRevision()));
    }

    private void putAll(int group) {
        List<String> keys = groupKeys(group);
        Write.PutAll write = new Write.PutAll(keys, token());
        TxnRequest.Builder request = TxnRequest.newBuilder();
        keys.forEach(key -> request.addSuccess(putOp(key, write.token())));
        attempt(
                write,
                () ->
                        Attempt.acknowledged(
                                write, client.txn(request.build()).getHeader().getRevision()));
    }

    /** A transaction that fills one group and clears another. */
    private void move(int from) {
        List<String> puts = groupKeys((from + 1) % GROUPS);
        Write.Move write = new Write.Move(puts, groupKeys(from), token());
        TxnRequest.Builder request = TxnRequest.newBuilder();
        puts.forEach(key -> request.addSuccess(putOp(key, write.token())));
        for (String key : write.deletes()) {
            request.addSuccessBuilder().getRequestDeleteRangeBuilder().setKey(Keys.of(key));
        }
        attempt(
                write,
                () ->
                        Attempt.acknowledged(
                                write, client.txn(request.build()).getHeader().getRevision()));
    }

    private static List<String> groupKeys(int group) {
        return IntStream.range(0, GROUP_KEYS).mapToObj(i -> "group/" + group + "/" + i).toList();
    }

    private void swap(String key) {
        RangeRequest read = RangeRequest.newBuilder().setKey(Keys.of(key)).build();
        long expected =
                client.range(read).getKvsList().stream()
                        .mapToLong(kv -> kv.getModRevision())
                        .findFirst()
                        .orElse(0);
        Write.Swap swap = new Write.Swap(key, expected, token());
        TxnRequest request =
                TxnRequest.newBuilder()
                        .addCompare(
                                Compare.newBuilder()
                                        .setKey(Keys.of(key))
                                        .setTarget(Compare.CompareTarget.MOD)
                                        .setResult(Compare.CompareResult.EQUAL)
                                        .setModRevision(expected))
                        .addSuccess(putOp(key, swap.token()))
                        .build();
        attempt(
                swap,
                () -> {
                    TxnResponse response = client.txn(request);
                    long revision = response.getHeader().getRevision();
                    return response.getSucceeded()
                            ? Attempt.acknowledged(swap, revision)
                            : Attempt.withoutEffect(swap, revision);
                });
    }

    private void delete(Write.Delete delete) {
        attempt(
                delete,
                () -> {
                    DeleteRangeResponse response =
                            client.delete(Keys.of(delete.key()), Keys.of(delete.end()));
                    long revision = response.getHeader().getRevision();
                    return response.getDeleted() > 0
                            ? Attempt.acknowledged(delete, revision)
                            : Attempt.withoutEffect(delete, revision);
                });
    }

    /** A lease's life in several steps: granted, a few keys put with it, revoked, the next one. */
    private void useLease() {
        if (currentLease == 0) {
            currentLease = grant(LeaseCheck.LONG).id();
        } else if (leasedKeys < LEASED_KEYS) {
            String key = "leased/" + currentLease + "/" + leasedKeys++;
            put(new Write.Put(key, token(), currentLease));
        } else {
            Write.Revoke revoke = new Write.Revoke(currentLease);
            attempt(revoke, () -> Attempt.acknowledged(revoke, client.revoke(revoke.lease())));
            leasedKeys = 0;
            currentLease = 0;
        }
    }

    /** A lease with keys that is left to expire. */
    private void useShortLease() {
        int more = random.nextInt(SHORT_LEASE_SECONDS_MAX - SHORT_LEASE_SECONDS_MIN + 1);
        Granted lease = grant(Duration.ofSeconds(SHORT_LEASE_SECONDS_MIN + more));
        for (int i = 0; i < LEASED_KEYS; i++) {
            String key = "leased/" + lease.id() + "/" + i;
            Write.Put write = new Write.Put(key, token(), lease.id());
            try {
                put(write);
            } catch (StatusRuntimeException e) {
                if (e.getStatus().getCode() != Status.Code.NOT_FOUND) {
                    throw e;
                }
                attempts.set(attempts.size() - 1, Attempt.withoutEffect(write, 0));
                if (System.nanoTime() - lease.sentNanos() < lease.ttl().toNanos()) {
                    endedTooSoon.add(lease);
                }
            }
        }
    }

    private Granted grant(Duration ttl) {
        Granted unknown = new Granted(firstLease + leases++, ttl, System.nanoTime(), false);
        granted.add(unknown);
        LeaseGrantRequest request =
                LeaseGrantRequest.newBuilder().setID(unknown.id()).setTTL(ttl.toSeconds()).build();
        var unused = client.lease().leaseGrant(request);
        Granted lease = new Granted(unknown.id(), ttl, unknown.sentNanos(), true);
        granted.set(granted.size() - 1, lease);
        return lease;
    }

    /** Notes the write in any case: as unknown when no answer came. */
    private void attempt(Write write, Sent sent) {
        Attempt attempt = Attempt.unknown(write);
        try {
            attempt = sent.send();
        } finally {
            attempts.add(attempt);
        }
    }

    private static RequestOp.Builder putOp(String key, String token) {
        return RequestOp.newBuilder()
                .setRequestPut(
                        PutRequest.newBuilder().setKey(Keys.of(key)).setValue(Payload.of(token)));
    }

    private String token() {
        return name + "-" + tokens++;
    }

    /** Sends a request and waits for its answer. */
    private interface Sent {
        Attempt send();
    }
}
