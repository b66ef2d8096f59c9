package io.brain.conformance.cluster.jetcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Election;
import io.etcd.jetcd.Lock;
import io.etcd.jetcd.election.CampaignResponse;
import io.etcd.jetcd.election.LeaderKey;
import io.etcd.jetcd.election.LeaderResponse;
import io.etcd.jetcd.election.NoLeaderException;
import io.etcd.jetcd.election.NotLeaderException;
import io.etcd.jetcd.lock.LockResponse;
import io.etcd.jetcd.options.GetOption;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

abstract class JetcdConcurrencyContract extends JetcdFixture {
    private static final long LEASE_SECONDS = 100;
    private static final long UNKNOWN_LEASE = 123_456_789;
    private static final long EVENT_SECONDS_MAX = 30;

    @Test
    void aLockHasOneHolder() throws Exception {
        long first = lease();
        String held = text(answer(locks().lock(bytes("one"), first)).getKey());
        assertThat(held).isEqualTo("one/" + Long.toHexString(first));
        CompletableFuture<LockResponse> next = locks().lock(bytes("one"), lease());
        awaitKeys("one/", 2);
        assertThat(next).isNotDone();
        answer(locks().unlock(bytes(held)));
        String taken = text(answer(next).getKey());
        assertThat(get(taken)).hasSize(1);
        assertThat(get(held)).isEmpty();
    }

    @Test
    void theHolderMayLockAgain() throws Exception {
        long lease = lease();
        ByteSequence key = answer(locks().lock(bytes("again"), lease)).getKey();
        assertThat(answer(locks().lock(bytes("again"), lease)).getKey()).isEqualTo(key);
    }

    @Test
    void aLockEndsWithItsLease() throws Exception {
        long first = lease();
        answer(locks().lock(bytes("ends"), first));
        CompletableFuture<LockResponse> next = locks().lock(bytes("ends"), lease());
        awaitKeys("ends/", 2);
        answer(client().getLeaseClient().revoke(first));
        answer(next);
        awaitKeys("ends/", 1);
    }

    @Test
    void aLockNeedsALease() {
        assertRefused(locks().lock(bytes("leaseless"), UNKNOWN_LEASE))
                .hasMessageContaining("requested lease not found");
    }

    @Test
    void aLeaderIsElectedAndResigns() throws Exception {
        ByteSequence name = bytes("resign");
        LeaderKey first = answer(campaign(name, "first")).getLeader();
        CompletableFuture<CampaignResponse> waiting = campaign(name, "second");
        awaitKeys("resign/", 2);
        assertThat(waiting).isNotDone();
        assertThat(leader(name)).isEqualTo("first");
        answer(elections().resign(first));
        LeaderKey second = answer(waiting).getLeader();
        assertThat(second.getRevision()).isGreaterThan(first.getRevision());
        assertThat(leader(name)).isEqualTo("second");
        answer(elections().resign(second));
        assertRefused(elections().leader(name)).hasCauseInstanceOf(NoLeaderException.class);
    }

    @Test
    void theLeaderProclaims() throws Exception {
        ByteSequence name = bytes("proclaim");
        LeaderKey key = answer(campaign(name, "old")).getLeader();
        answer(elections().proclaim(key, bytes("new")));
        assertThat(leader(name)).isEqualTo("new");
        answer(elections().resign(key));
        assertRefused(elections().proclaim(key, bytes("late")))
                .hasCauseInstanceOf(NotLeaderException.class);
    }

    @Test
    void observersSeeEveryLeader() throws Exception {
        ByteSequence name = bytes("observe");
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        LeaderKey first = answer(campaign(name, "first")).getLeader();
        elections().observe(name, new Observer(seen));
        assertThat(next(seen)).isEqualTo("first");
        answer(elections().proclaim(first, bytes("changed")));
        assertThat(next(seen)).isEqualTo("changed");
        CompletableFuture<CampaignResponse> waiting = campaign(name, "second");
        awaitKeys("observe/", 2);
        answer(elections().resign(first));
        answer(waiting);
        assertThat(next(seen)).isEqualTo("second");
    }

    @Test
    void aCampaignNeedsALease() {
        assertRefused(elections().campaign(bytes("leaseless"), UNKNOWN_LEASE, bytes("x")))
                .hasMessageContaining("requested lease not found");
    }

    private record Observer(BlockingQueue<String> seen) implements Election.Listener {
        @Override
        public void onNext(LeaderResponse response) {
            seen.add(text(response.getKv().getValue()));
        }

        @Override
        public void onError(Throwable failure) {
            seen.add(failure.toString());
        }

        @Override
        public void onCompleted() {
            seen.add("completed");
        }
    }

    private static String next(BlockingQueue<String> seen) throws InterruptedException {
        return seen.poll(EVENT_SECONDS_MAX, TimeUnit.SECONDS);
    }

    private Lock locks() {
        return client().getLockClient();
    }

    private Election elections() {
        return client().getElectionClient();
    }

    private CompletableFuture<CampaignResponse> campaign(ByteSequence name, String value)
            throws Exception {
        return elections().campaign(name, lease(), bytes(value));
    }

    private String leader(ByteSequence name) throws Exception {
        return text(answer(elections().leader(name)).getKv().getValue());
    }

    private long lease() throws Exception {
        return answer(client().getLeaseClient().grant(LEASE_SECONDS)).getID();
    }

    /** Waits until so many hold, or wait for, what has this prefix. */
    private void awaitKeys(String prefix, int count) throws Exception {
        GetOption option = GetOption.builder().isPrefix(true).withCountOnly(true).build();
        while (answer(client().getKVClient().get(bytes(prefix), option)).getCount() != count) {
            Thread.sleep(20);
        }
    }
}
