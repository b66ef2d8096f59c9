package io.brain.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class WriteBatchTest {
    private static final Bytes K = Bytes.utf8("key");
    private static final Bytes OLD = Bytes.utf8("old");
    private static final Bytes NEW = Bytes.utf8("newer");

    @Test
    void theFirstMutationIsThePrimary() {
        WriteBatch batch = WriteBatch.builder().put(K, NEW).delete(OLD).build();

        assertThat(batch.primary()).isEqualTo(new Mutation.Put(K, NEW));
        assertThat(batch.mutations()).containsExactly(batch.primary(), new Mutation.Delete(OLD));
    }

    @Test
    void bytesAreThoseOfKeysAndNewValues() {
        WriteBatch.Builder batch =
                WriteBatch.builder().compareAndSet(K, OLD, NEW).delete(OLD).putIfAbsent(NEW, K);

        assertThat(batch.bytes()).isEqualTo(3 + 5 + 3 + 5 + 3);
        assertThat(batch.size()).isEqualTo(3);
        assertThat(batch.build().bytes()).isEqualTo(batch.bytes());
    }

    @Test
    void aBatchDoesNotChangeWithItsBuilder() {
        WriteBatch.Builder builder = WriteBatch.builder().put(K, NEW);
        WriteBatch batch = builder.build();
        builder.delete(OLD);

        assertThat(batch.mutations()).hasSize(1);
    }

    @Test
    void aKeyMayOccurOnce() {
        WriteBatch.Builder batch = WriteBatch.builder().put(K, NEW).delete(K);

        assertThatThrownBy(batch::build).isInstanceOf(AssertionError.class);
    }

    @Test
    void onlyAGuardedPutAsPrimaryCanBeResolved() {
        assertThat(WriteBatch.builder().putIfAbsent(K, NEW).build().resolvingValue())
                .isEqualTo(NEW);
        assertThat(WriteBatch.builder().compareAndSet(K, OLD, NEW).build().resolvingValue())
                .isEqualTo(NEW);
        for (WriteBatch.Builder other :
                new WriteBatch.Builder[] {
                    WriteBatch.builder().put(K, NEW),
                    WriteBatch.builder().delete(K),
                    WriteBatch.builder().deleteIfCurrent(K, OLD)
                }) {
            assertThatThrownBy(() -> other.build().resolvingValue())
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void guardsSayWhetherTheyHold() {
        assertThat(new Mutation.PutIfAbsent(K, NEW).holds(null)).isTrue();
        assertThat(new Mutation.PutIfAbsent(K, NEW).holds(OLD)).isFalse();
        assertThat(new Mutation.CompareAndSet(K, OLD, NEW).holds(OLD)).isTrue();
        assertThat(new Mutation.CompareAndSet(K, OLD, NEW).holds(NEW)).isFalse();
        assertThat(new Mutation.CompareAndSet(K, OLD, NEW).holds(null)).isFalse();
        assertThat(new Mutation.DeleteIfCurrent(K, OLD).holds(OLD)).isTrue();
        assertThat(new Mutation.DeleteIfCurrent(K, OLD).holds(null)).isFalse();
        assertThat(new Mutation.Put(K, NEW).holds(OLD)).isTrue();
        assertThat(new Mutation.Delete(K).holds(null)).isTrue();
    }
}
