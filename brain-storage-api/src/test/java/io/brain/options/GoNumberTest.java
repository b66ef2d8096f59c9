package io.brain.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoNumberTest {
    private static final Option<Long> NUMBER = Option.number("n", "0", "");
    private static final Option<Long> SIZE = Option.bytes("s", "0", "");

    @ParameterizedTest
    @CsvSource({
        "0,0",
        "-0,0",
        "128,128",
        "+7,7",
        "0x80,128",
        "-0X80,-128",
        "0x_f_F,255",
        "0o17,15",
        "0O17,15",
        "017,15",
        "0_17,15",
        "00,0",
        "0b101,5",
        "-0B1_0,-2",
        "2_000_000,2000000",
        "9223372036854775807,9223372036854775807",
        "-0x8000000000000000,-9223372036854775808"
    })
    void numbersAndSizesHaveTheFormsOfGo(String text, long value) {
        assertThat(NUMBER.reader().apply(text)).isEqualTo(value);
        assertThat(SIZE.reader().apply(text)).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "-", "x", "08", "0o8", "0b2", "0xg", "1__0", "_1", "1_", "0x", "1.5", "1e3", "٣"
            })
    void othersAreRefused(String text) {
        assertThatThrownBy(() -> NUMBER.reader().apply(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("parse error");
        assertThatThrownBy(() -> SIZE.reader().apply(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("want bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775808", "0x8000000000000000"})
    void numbersOfMoreThan64BitsAreRefused(String text) {
        assertThatThrownBy(() -> NUMBER.reader().apply(text)).hasMessage("parse error");
        assertThatThrownBy(() -> SIZE.reader().apply(text)).hasMessage("too large");
    }

    @ParameterizedTest
    @CsvSource({"0x8KiB,8192", "0x8 b,8", "0x8B,139", "0b,0", "0b1B,1", "1_0 mib,10485760"})
    void sizesOfAnyFormTakeUnits(String text, long value) {
        assertThat(SIZE.reader().apply(text)).isEqualTo(value);
    }
}
