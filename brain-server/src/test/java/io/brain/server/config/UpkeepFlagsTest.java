package io.brain.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.options.GoDuration;
import io.brain.server.config.BrainConfig.Retention;
import io.brain.server.config.CommandLineReader.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UpkeepFlagsTest {
    @ParameterizedTest
    @CsvSource({
        "1, 1h",
        "+2, 2h",
        "24, 24h",
        "5m, 5m",
        "1h30m, 90m",
        "0.5s, 500ms",
        "10ms, 10ms",
        "0, 0",
        "0s, 0",
        "'', 0"
    })
    void aPeriodIsHoursOrADuration(String text, String period) {
        assertThat(retention("periodic", text))
                .isEqualTo(new Retention(GoDuration.parse(period), 0));
        assertThat(read("--auto-compaction-retention=" + text).config().upkeep().history().period())
                .isEqualTo(GoDuration.parse(period));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1000, 1000", "3us, 3000", "1h, 3600000000000", "0, 0"})
    void revisionsAreANumberAndADurationIsNanoseconds(String text, long revisions) {
        assertThat(retention("revision", text)).isEqualTo(new Retention(Duration.ZERO, revisions));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "periodic|x|error parsing CompactionRetention: time: invalid duration \"x\"",
                "periodic|-1|error parsing CompactionRetention: time: invalid duration \"-1\"",
                "revision|1.5|error parsing CompactionRetention: time: invalid duration \"1.5\"",
                "periodic|99999999999999999999|error parsing CompactionRetention: time: invalid"
                        + " duration \"99999999999999999999\"",
                "periodic|999999999999999999|--auto-compaction-retention: 999999999999999999 is too"
                        + " long",
                "periodic|100000|--auto-compaction-retention: 100000 must be from 10ms to ten"
                        + " years",
                "periodic|1ms|--auto-compaction-retention: 1ms must be from 10ms to ten years",
                "periodic|-1h|--auto-compaction-retention: -1h must be from 10ms to ten years",
                "revision|-1h|--auto-compaction-retention: -1h must not be negative",
                "hourly|1|unknown auto-compaction-mode \"hourly\"",
                "''|0|undefined auto-compaction-mode"
            })
    void anInvalidRetentionIsRefused(String mode, String text, String message) {
        assertThatThrownBy(() -> retention(mode, text))
                .isInstanceOfSatisfying(
                        ConfigException.class, wrong -> assertThat(wrong.isUsage()).isFalse())
                .hasMessage(message);
    }

    @Test
    void aModeWithoutARetentionKeepsAll() {
        Request request = read("--auto-compaction-mode=revision");
        assertThat(request.config().upkeep().history()).isEqualTo(Retention.ALL);
        assertThat(request.notes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LeaseCheckpoint=true",
                "LeaseCheckpoint=1,LeaseCheckpointPersist=T",
                " LeaseCheckpoint = true ,",
                "AllAlpha=true",
                "AllAlpha=false,LeaseCheckpoint=true",
                "LeaseCheckpoint=false,LeaseCheckpoint=true"
            })
    void leaseCheckpointsCanBeSwitchedOn(String gates) {
        assertThat(read("--feature-gates=" + gates).config().upkeep().leaseCheckpoints()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "LeaseCheckpoint=false",
                "AllAlpha=false",
                "AllBeta=true",
                "AllAlpha=true,LeaseCheckpoint=false,LeaseCheckpointPersist=false"
            })
    void leaseCheckpointsAreOffOtherwise(String gates) {
        assertThat(read("--feature-gates=" + gates).config().upkeep().leaseCheckpoints()).isFalse();
    }

    @Test
    void repeatedGatesAccumulateAndTheLastValueCounts() {
        Request request =
                read(
                        "--feature-gates=LeaseCheckpoint=true",
                        "--feature-gates=PriorityRequest=true",
                        "--feature-gates=PriorityRequest=false");
        assertThat(request.config().upkeep().leaseCheckpoints()).isTrue();
        assertThat(request.notes()).isEmpty();
    }

    @Test
    void changedGatesWithoutEffectAreNoted() {
        Request request =
                read(
                        "--snapshot-count=5",
                        "--feature-gates=StopGRPCServiceOnDefrag=true,CompactHashCheck=false,"
                                + "FastLeaseKeepAlive=false,TxnModeWriteWithSharedBuffer=true,"
                                + "SetMemberLocalAddr=false,InitialCorruptCheck=true");
        assertThat(request.notes())
                .containsExactly(
                        "accepted without effect: --snapshot-count, feature gate"
                                + " FastLeaseKeepAlive=false, feature gate"
                                + " InitialCorruptCheck=true, feature gate"
                                + " StopGRPCServiceOnDefrag=true");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Foo=true|unrecognized feature gate: Foo",
                "leasecheckpoint=true|unrecognized feature gate: leasecheckpoint",
                "LeaseCheckpoint|missing bool value for LeaseCheckpoint",
                "LeaseCheckpoint=maybe|invalid value of LeaseCheckpoint=maybe, err:"
                        + " strconv.ParseBool: parsing \"maybe\": invalid syntax"
            })
    void anInvalidGateIsRefusedAsInEtcd(String gates, String why) {
        assertThatThrownBy(() -> read("--feature-gates=" + gates))
                .isInstanceOfSatisfying(
                        ConfigException.class, wrong -> assertThat(wrong.isUsage()).isTrue())
                .hasMessage("invalid value \"" + gates + "\" for flag -feature-gates: " + why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"LeaseCheckpointPersist=true", "AllAlpha=true,LeaseCheckpoint=false"})
    void persistentCheckpointsRequireCheckpoints(String gates) {
        assertThatThrownBy(() -> read("--feature-gates=" + gates))
                .isInstanceOfSatisfying(
                        ConfigException.class, wrong -> assertThat(wrong.isUsage()).isFalse())
                .hasMessage(
                        "enabling feature gate LeaseCheckpointPersist requires enabling feature"
                                + " gate LeaseCheckpoint");
    }

    private static Retention retention(String mode, String retention) {
        return read("--auto-compaction-mode=" + mode, "--auto-compaction-retention=" + retention)
                .config()
                .upkeep()
                .history();
    }

    private static Request read(String... args) {
        List<String> all = new ArrayList<>(List.of("--data-dir=d"));
        all.addAll(List.of(args));
        return CommandLineReader.read(all, Map.of());
    }
}
