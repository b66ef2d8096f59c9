package io.brain.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerAddressTest {

    @Test
    void aLocalServerIsAccepted() {
        assertThat(ServerAddress.parse("etcd=123@127.0.0.1:2379"))
                .isEqualTo(new ServerAddress("etcd", 123, 2379, ""));
        assertThat(ServerAddress.parse("etcd=123@127.0.0.1:2379,a.b"))
                .isEqualTo(new ServerAddress("etcd", 123, 2379, "a.b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"etcd=1@10.0.0.1:2379", "etcd=1@example.org:2379", "1@127.0.0.1:2379"})
    void remoteAndMalformedAddressesAreRefused(String text) {
        assertThatThrownBy(() -> ServerAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only loopback addresses are allowed");
    }
}
