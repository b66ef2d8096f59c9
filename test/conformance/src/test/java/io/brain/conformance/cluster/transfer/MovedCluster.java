package io.brain.conformance.cluster.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import java.util.List;

/** What holds after a cluster has moved. */
final class MovedCluster {
    private MovedCluster() {}

    /** Both have the same history, leases and keys; only the second one is written, and goes on. */
    static void requireEqual(String from, String to) throws Exception {
        try (EtcdClient first = new EtcdClient(from);
                EtcdClient second = new EtcdClient(to)) {
            requireEqual(first, second);
        }
    }

    /** The same for clients of a user with the role root. */
    static void requireEqual(EtcdClient first, EtcdClient second) throws Exception {
        List<Long> newest = List.of(first.revision());
        HashSample expected = HashSample.read(first, newest);
        HashSample actual = HashSample.read(second, newest);
        assertThat(actual.hashes()).isEqualTo(expected.hashes());
        assertThat(actual.leases()).isEqualTo(expected.leases());
        assertThat(second.all().getKvsList()).isEqualTo(first.all().getKvsList());
        assertThatThrownBy(() -> first.put(Keys.of("late"), Keys.of("x")))
                .hasMessageContaining("corrupt cluster");
        assertThat(second.put(Keys.of("first"), Keys.of("x")).getHeader().getRevision())
                .isEqualTo(newest.get(0) + 1);
    }
}
