package io.brain.backend.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyPrefixTest {
    @ParameterizedTest
    @CsvSource({
        "/registry/pods/default/a, /registry/pods/, true",
        "/registry/pods/, /registry/pods/, true",
        "a/b/c/d, a/b/c/, true",
        "/registry/pods, /registry/, false",
        "/a, /, false",
        "compact_rev_key, '', false",
        "'', '', false"
    })
    void keysAreGroupedUpToTheThirdSlash(String key, String prefix, boolean whole) {
        assertThat(KeyPrefix.of(Bytes.utf8(key))).isEqualTo(Bytes.utf8(prefix));
        assertThat(KeyPrefix.isWhole(Bytes.utf8(prefix))).isEqualTo(whole);
    }

    @Test
    void aLongNameIsCutAndThenGroupsByItself() {
        Bytes key = Bytes.utf8("/" + "x".repeat(500) + "/y/z");
        Bytes prefix = KeyPrefix.of(key);
        assertThat(prefix.length()).isEqualTo(KeyPrefix.BYTES_MAX);
        assertThat(key.startsWith(prefix)).isTrue();
        assertThat(KeyPrefix.isWhole(prefix)).isTrue();
    }
}
