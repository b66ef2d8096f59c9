package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListedServersTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://a:1|a:1",
                "http://[::1]:1|[::1]:1",
                "http://etcd_1:1|servers:///etcd_1:1",
                "http://etcd_1:1,http://b:2|servers:///etcd_1:1,b:2"
            })
    void namesThatGrpcDoesNotResolveAreListed(String urls, String target) {
        List<URI> servers = List.of(urls.split(",")).stream().map(URI::create).toList();
        assertThat(ListedServers.target(servers)).isEqualTo(target);
    }
}
