package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.RangeQuery;
import io.brain.storage.Bytes;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AutoCompactionTest {
    private final NodeFixture fixture = new NodeFixture(5);

    @Test
    void aNodeKeepsAPeriodOfHistory() {
        keep(Duration.ofMinutes(1), 0);
        fixture.open();
        for (int i = 0; i < 100; i++) {
            fixture.put("a", "v" + i);
            fixture.advance(Duration.ofSeconds(1));
        }
        // Compacted after 60 seconds, at what was the newest revision at the start.
        assertThat(fixture.node.status().compactRevision()).isEqualTo(1);
        fixture.advance(Duration.ofSeconds(21));
        long floor = fixture.node.status().compactRevision();
        assertThat(floor).isBetween(54L, 58L);
        assertThatThrownBy(() -> fixture.range(at(floor - 1)))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(ErrorKind.COMPACTED));
        assertThat(fixture.range(at(floor)).kvs()).hasSize(1);
        fixture.advance(Duration.ofMinutes(2));
        assertThat(fixture.node.status().compactRevision()).isEqualTo(101);
    }

    @Test
    void aNodeKeepsANumberOfRevisions() {
        keep(Duration.ZERO, 10);
        fixture.open();
        for (int i = 0; i < 50; i++) {
            fixture.put("a", "v" + i);
        }
        fixture.advance(Duration.ofMinutes(4));
        assertThat(fixture.node.status().compactRevision()).isEqualTo(-1);
        fixture.advance(Duration.ofMinutes(1));
        assertThat(fixture.node.status().compactRevision()).isEqualTo(41);
    }

    private void keep(Duration period, long revisions) {
        fixture.settings = fixture.settings.withRetention(period, revisions);
    }

    private static RangeQuery at(long revision) {
        return RangeQuery.at(KeySpan.of(Bytes.utf8("a")), revision, 0);
    }
}
