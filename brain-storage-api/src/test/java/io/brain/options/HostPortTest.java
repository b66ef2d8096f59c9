package io.brain.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
    @ParameterizedTest
    @CsvSource({
        "http://a:1, a, 1",
        "http://[::1]:2379, [::1], 2379",
        "http://etcd_1:2379, etcd_1, 2379",
        "https://etcd_1.my_net:2379/path, etcd_1.my_net, 2379",
        "http://10.0.0.1.:1, 10.0.0.1., 1",
        "http://foo-:70000, foo-, 70000",
        "http://etcd_1, etcd_1, -1",
    })
    void hostAndPortAreFound(String url, String host, int port) {
        assertThat(HostPort.of(URI.create(url))).isEqualTo(new HostPort(host, port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://:1",
                "http://a_b:1:2",
                "http://u@a_b:1",
                "http://a_b:x",
                "unix:///s"
            })
    void urlsWithoutAHostHaveNone(String url) {
        assertThat(HostPort.of(URI.create(url))).isNull();
    }

    @Test
    void portsBeyondIntegersAreNone() {
        assertThat(HostPort.of(URI.create("http://a_b:99999999999"))).isNull();
    }
}
