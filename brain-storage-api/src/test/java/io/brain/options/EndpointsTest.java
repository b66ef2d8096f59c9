package io.brain.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointsTest {
    @Test
    void aListIsReadAndWritten() {
        Endpoints read = Endpoints.parse("10.0.0.1:2379,http://b:2379,http://[::1]:1");
        assertThat(read).hasToString("http://10.0.0.1:2379,http://b:2379,http://[::1]:1");
        assertThat(read.isSecure()).isFalse();
        assertThat(Endpoints.parse("etcd_1:2379,http://etcd_2:2379"))
                .hasToString("http://etcd_1:2379,http://etcd_2:2379");
        assertThat(Endpoints.parse("https://a:2379").isSecure()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "a",
                "http://a",
                "http://a:1,",
                "ftp://a:1",
                "http://a:1,https://b:1",
                "http://:1",
                "http://a b:1",
                "http://a:65536"
            })
    void whatIsNoListOfUrlsIsRefused(String text) {
        assertThatThrownBy(() -> Endpoints.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
