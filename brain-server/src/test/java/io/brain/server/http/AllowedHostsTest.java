package io.brain.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AllowedHostsTest {
    private final AllowedHosts names =
            new AllowedHosts(List.of("Etcd-0.etcd", "10.0.0.1", "etcd_1"));

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,true",
        "127.0.0.1:2381,true",
        "192.168.7.9:2381,true",
        "[::1],true",
        "[::1]:2381,true",
        "[fe80::1]:80,true",
        "localhost,true",
        "LOCALHOST.:2381,true",
        "etcd-0.etcd:2381,true",
        "ETCD-0.ETCD.,true",
        "etcd_1:2379,true",
        "evil.example,false",
        "evil.example:2381,false",
        "127.0.0.1.evil.example,false",
        "localhost.evil.example:2381,false",
        "[evil.example]:2381,false",
        "[::1,false",
        "999.0.0.1,false",
        "'',false"
    })
    void onlyOwnNamesAndAddressesAreAllowed(String host, boolean own) {
        assertThat(names.include(host)).isEqualTo(own);
    }

    @Test
    void aMissingHostIsAllowed() {
        assertThat(names.include(null)).isTrue();
    }
}
