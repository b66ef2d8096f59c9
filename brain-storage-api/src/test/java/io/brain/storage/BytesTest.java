package io.brain.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class BytesTest {
    private static Bytes bytes(int... values) {
        byte[] array = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            array[i] = (byte) values[i];
        }
        return Bytes.wrap(array);
    }

    @Test
    void orderIsThatOfUnsignedBytes() {
        List<Bytes> ordered =
                List.of(
                        bytes(),
                        bytes(0),
                        bytes(0, 0),
                        bytes(0, 255),
                        bytes(1),
                        bytes(127),
                        bytes(128),
                        bytes(255),
                        bytes(255, 0));

        List<Bytes> shuffled = new ArrayList<>(ordered);
        Collections.reverse(shuffled);
        assertThat(new TreeSet<>(shuffled)).containsExactlyElementsOf(ordered);
    }

    @Test
    void equalBytesAreEqualAndHashAlike() {
        assertThat(bytes(1, 2)).isEqualTo(bytes(1, 2)).hasSameHashCodeAs(bytes(1, 2));
        assertThat(bytes(1, 2)).isNotEqualTo(bytes(1, 3)).isNotEqualTo(bytes(1));
        assertThat(bytes()).isSameAs(Bytes.EMPTY);
    }

    @Test
    void aCopyDoesNotChangeWithItsSource() {
        byte[] source = {1, 2, 3, 4};
        Bytes copy = Bytes.copyOf(source, 1, 2);
        source[1] = 9;

        assertThat(copy).isEqualTo(bytes(2, 3));
        assertThatThrownBy(() -> Bytes.copyOf(source, 3, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void theSuccessorIsTheNextKey() {
        assertThat(bytes(5).successor()).isEqualTo(bytes(5, 0));
        assertThat(bytes().successor()).isEqualTo(bytes(0));
    }

    @Test
    void thePrefixEndIsBehindEveryKeyWithThePrefix() {
        assertThat(bytes(1, 2).prefixEnd()).isEqualTo(bytes(1, 3));
        assertThat(bytes(1, 255).prefixEnd()).isEqualTo(bytes(2));
        assertThat(bytes(127).prefixEnd()).isEqualTo(bytes(128));
        assertThat(bytes(255, 255).prefixEnd()).isNull();
        assertThat(bytes().prefixEnd()).isNull();
    }

    @Test
    void prefixesAreRecognized() {
        assertThat(bytes(1, 2, 3).startsWith(bytes(1, 2))).isTrue();
        assertThat(bytes(1, 2).startsWith(bytes(1, 2))).isTrue();
        assertThat(bytes(1, 2).startsWith(bytes())).isTrue();
        assertThat(bytes(1, 2).startsWith(bytes(1, 2, 3))).isFalse();
        assertThat(bytes(1, 2).startsWith(bytes(2))).isFalse();
    }

    @Test
    void textIsPrintableWhateverTheBytes() {
        assertThat(Bytes.utf8("/a b\\").concat(bytes(0, 255))).hasToString("/a b\\x5c\\x00\\xff");
    }
}
