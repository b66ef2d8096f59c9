package io.brain.storage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class KeyRangeTest {
    private static final Bytes A = Bytes.utf8("a");
    private static final Bytes B = Bytes.utf8("b");

    @Test
    void aRangeHasItsStartAndLacksItsEnd() {
        KeyRange range = new KeyRange(A, B);

        assertThat(range.contains(A)).isTrue();
        assertThat(range.contains(Bytes.utf8("azz"))).isTrue();
        assertThat(range.contains(B)).isFalse();
        assertThat(range.contains(Bytes.utf8("A"))).isFalse();
    }

    @Test
    void aRangeWithoutEndHasEveryLaterKey() {
        assertThat(new KeyRange(B, null).contains(Bytes.wrap(new byte[] {-1, -1}))).isTrue();
        assertThat(new KeyRange(B, null).contains(A)).isFalse();
        assertThat(KeyRange.ALL.contains(Bytes.wrap(new byte[] {0}))).isTrue();
    }

    @Test
    void aRangeIsEmptyIfItsEndIsNotBehindItsStart() {
        assertThat(new KeyRange(A, B).isEmpty()).isFalse();
        assertThat(new KeyRange(A, A).isEmpty()).isTrue();
        assertThat(new KeyRange(B, A).isEmpty()).isTrue();
        assertThat(KeyRange.ALL.isEmpty()).isFalse();
    }

    @Test
    void aPrefixIsTheRangeOfItsKeys() {
        assertThat(KeyRange.prefix(A)).isEqualTo(new KeyRange(A, B));
        assertThat(KeyRange.prefix(Bytes.EMPTY)).isEqualTo(KeyRange.ALL);
    }
}
