package io.brain.admin.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PrefixScanTest {
    private final StoredKeys stored = new StoredKeys();

    @AfterEach
    void everyReplyIsReleased() {
        assertThat(stored.held).isZero();
    }

    @Test
    void keysAreCountedUnderTheirPrefixWithTwoRequestsForEach() {
        for (int i = 0; i < 1000; i++) {
            stored.put("/registry/pods/ns/p" + i, 100);
        }
        stored.put("/registry/leases/l", 10).put("compact_rev_key", 1);
        PrefixScan.Result found = scan();
        assertThat(keys(found))
                .isEqualTo(Map.of("/registry/pods/", 1000L, "/registry/leases/", 1L, "", 1L));
        assertThat(found.complete()).isTrue();
        PrefixScan.Group pods = group(found, "/registry/pods/");
        assertThat(pods.bytes()).isBetween(1000L * 115, 1000L * 140);
        assertThat(stored.requests).isLessThanOrEqualTo(7);
        assertThat(stored.valuesRead).isLessThanOrEqualTo(3 * 8);
    }

    @Test
    void withoutKeysThereAreNoPrefixes() {
        assertThat(scan().groups()).isEmpty();
    }

    @Test
    void looseKeysAreCountedOneByOneAndThenTogether() {
        stored.put("a", 1).put("b/c/d/e", 1).put("c", 1);
        assertThat(keys(scan())).isEqualTo(Map.of("", 2L, "b/c/d/", 1L));
        for (int i = 0; i < 5000; i++) {
            stored.put("loose" + i, 1);
        }
        stored.requests = 0;
        assertThat(keys(scan()).get("")).isEqualTo(5002);
        assertThat(stored.requests).isLessThan(20);
    }

    @Test
    void theNumberOfPrefixesIsLimited() {
        for (int i = 0; i < 1000; i++) {
            stored.put("/registry/crd" + i + "/x", 1);
        }
        PrefixScan.Result found = scan();
        assertThat(found.complete()).isFalse();
        assertThat(found.groups()).hasSize(PrefixScan.READS_MAX);
        assertThat(stored.requests).isEqualTo(2 * PrefixScan.READS_MAX);
    }

    @Test
    void afterManyBytesOnlyKeysAreRead() {
        for (int i = 0; i < 100; i++) {
            stored.put("/registry/big" + i + "/x", 1 << 20);
        }
        PrefixScan.Result found = scan();
        assertThat(found.groups()).hasSize(100);
        assertThat(stored.valuesRead).isLessThan(30);
        assertThat(group(found, "/registry/big99/").bytes()).isNull();
    }

    private PrefixScan.Result scan() {
        return new PrefixScan(new KeyReader(stored::range), Runnable::run).run().join();
    }

    private static Map<String, Long> keys(PrefixScan.Result found) {
        return found.groups().stream()
                .collect(Collectors.toMap(g -> KeyText.of(g.prefix()), PrefixScan.Group::keys));
    }

    private static PrefixScan.Group group(PrefixScan.Result found, String prefix) {
        return found.groups().stream()
                .filter(g -> g.prefix().equals(Bytes.utf8(prefix)))
                .findFirst()
                .orElseThrow();
    }
}
