package io.brain.conformance.cluster.jetcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.etcd.jetcd.Lease;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.lease.LeaseTimeToLiveResponse;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.support.CloseableClient;
import io.etcd.jetcd.support.Observers;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

abstract class JetcdLeaseContract extends JetcdFixture {

    private static final LeaseOption WITH_KEYS = LeaseOption.builder().withAttachedKeys().build();

    @Test
    void grantedLeaseShowsItsTimeAndKeys() throws Exception {
        long id = grant(100);
        putWithLease("ttl/a", id);
        LeaseTimeToLiveResponse lease = answer(leases().timeToLive(id, WITH_KEYS));
        assertThat(lease.getGrantedTTL()).isEqualTo(100);
        assertThat(lease.getTTL()).isBetween(90L, 100L);
        assertThat(lease.getKeys()).containsExactly(bytes("ttl/a"));
        assertThat(get("ttl/a").get(0).getLease()).isEqualTo(id);
    }

    @Test
    void revokeDeletesTheKeys() throws Exception {
        long id = grant(100);
        putWithLease("revoke/a", id);
        putWithLease("revoke/b", id);
        answer(leases().revoke(id));
        assertThat(get("revoke/a")).isEmpty();
        assertThat(get("revoke/b")).isEmpty();
        assertRefused(leases().revoke(id)).hasMessageContaining("requested lease not found");
        assertThat(answer(leases().timeToLive(id, WITH_KEYS)).getTTL()).isEqualTo(-1);
    }

    @Test
    void putWithAnUnknownLeaseIsRefused() {
        PutOption option = PutOption.builder().withLeaseId(123_456_789).build();
        assertRefused(client().getKVClient().put(bytes("unknown/a"), bytes("1"), option))
                .hasMessageContaining("requested lease not found");
    }

    @Test
    void expiryDeletesTheKeysAndNeverEarly() throws Exception {
        long granted = System.nanoTime();
        long id = grant(5); // the put has to be in time, also on a busy machine
        putWithLease("expire/a", id);
        while (!get("expire/a").isEmpty()) {
            Thread.sleep(50);
        }
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - granted))
                .isBetween(5_000L, 60_000L);
    }

    @Test
    void keepAliveOutlivesTheTime() throws Exception {
        long id = grant(10);
        putWithLease("alive/a", id);
        BlockingQueue<LeaseKeepAliveResponse> renewals = new LinkedBlockingQueue<>();
        CloseableClient keeper = leases().keepAlive(id, Observers.observer(renewals::add));
        Thread.sleep(15_000);
        assertThat(get("alive/a")).hasSize(1);
        assertThat(renewals).hasSizeGreaterThanOrEqualTo(3);
        assertThat(renewals.element().getTTL()).isEqualTo(10);
        keeper.close();
        while (!get("alive/a").isEmpty()) {
            Thread.sleep(100);
        }
    }

    @Test
    void keepAliveOnceRenews() throws Exception {
        long id = grant(100);
        LeaseKeepAliveResponse renewed = answer(leases().keepAliveOnce(id));
        assertThat(renewed.getID()).isEqualTo(id);
        assertThat(renewed.getTTL()).isEqualTo(100);
    }

    @Test
    void overwrittenKeyLeavesItsLease() throws Exception {
        long id = grant(100);
        putWithLease("leave/a", id);
        put("leave/a", "without");
        answer(leases().revoke(id));
        assertThat(get("leave/a")).hasSize(1);
    }

    private Lease leases() {
        return client().getLeaseClient();
    }

    private long grant(long seconds) throws Exception {
        return answer(leases().grant(seconds)).getID();
    }

    private void putWithLease(String key, long id) throws Exception {
        PutOption option = PutOption.builder().withLeaseId(id).build();
        answer(client().getKVClient().put(bytes(key), bytes("1"), option));
    }
}
