package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.WriteBatch;
import org.junit.jupiter.api.Test;

final class ChainedTimestampsTest {
    private final ChainedTimestamps chain = new ChainedTimestamps();

    private static Bytes bytes(String text) {
        return Bytes.utf8(text);
    }

    private static WriteBatch step(String from, String to) {
        return WriteBatch.builder()
                .compareAndSet(bytes("fence"), bytes(from), bytes(to))
                .put(bytes("k"), bytes("v"))
                .build();
    }

    @Test
    void theNextBatchStartsWhereTheLastLeftThePrimary() {
        chain.add(step("1", "2"), 77);

        assertThat(chain.take(step("2", "3"))).isEqualTo(77);
    }

    @Test
    void aStartTimestampIsGivenOnce() {
        chain.add(step("1", "2"), 77);
        chain.take(step("2", "3"));

        assertThat(chain.take(step("2", "3"))).isZero();
    }

    @Test
    void aBatchThatExpectsSomethingElseIsNotChained() {
        chain.add(step("1", "2"), 77);

        assertThat(chain.take(step("1", "2"))).isZero();
    }

    @Test
    void onlyACompareAndSetIsChained() {
        chain.add(step("1", "2"), 77);
        WriteBatch put = WriteBatch.builder().put(bytes("fence"), bytes("3")).build();

        assertThat(chain.take(put)).isZero();
    }

    @Test
    void afterADeleteThereIsNothingToChainTo() {
        WriteBatch delete = WriteBatch.builder().delete(bytes("fence")).build();
        chain.add(delete, 77);

        assertThat(chain.take(step("2", "3"))).isZero();
    }
}
