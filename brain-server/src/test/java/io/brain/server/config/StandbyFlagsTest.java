package io.brain.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.brain.options.Endpoints;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StandbyFlagsTest {
    private static BrainConfig read(String... flags) {
        return CommandLineReader.read(List.of(flags), Map.of()).config();
    }

    @Test
    void aServerFollowsNobodyByDefault() {
        assertThat(read().source()).isNull();
    }

    @Test
    void theSourceHasItsCertificates() {
        BrainConfig.Source source =
                read(
                                "--standby-of=https://a:2379,https://b:2379",
                                "--standby-cacert=/ca",
                                "--standby-cert=/c",
                                "--standby-key=/k",
                                "--standby-user=root",
                                "--standby-password-file=/p")
                        .source();
        Endpoints servers = Endpoints.parse("https://a:2379,https://b:2379");
        assertThat(source)
                .isEqualTo(
                        new BrainConfig.Source(
                                servers,
                                Path.of("/ca"),
                                Path.of("/c"),
                                Path.of("/k"),
                                "root",
                                Path.of("/p")));
    }

    @ParameterizedTest
    @CsvSource({
        "--standby-of=etcd, --standby-of must be http or https URLs with ports",
        "--standby-of=ftp://etcd:1, --standby-of must be http or https URLs with ports",
        "--standby-cert=/c, '--standby-cert needs --standby-key, and the reverse'",
        "--standby-user=u, '--standby-user needs --standby-password-file, and the reverse'"
    })
    void aWrongFlagIsRefused(String flag, String message) {
        ConfigException wrong = assertThrows(ConfigException.class, () -> read(flag));
        assertThat(wrong).hasMessageContaining(message);
    }

    @Test
    void aSharedStoreMayFollow() {
        BrainConfig config =
                read(
                        "--standby-of=http://etcd:2379",
                        "--storage=tikv",
                        "--pd-endpoints=pd:1",
                        "--initial-advertise-peer-urls=http://p:1");
        assertThat(config.source()).isNotNull();
        assertThat(config.storage().engine()).isEqualTo("tikv");
    }
}
