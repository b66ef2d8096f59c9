package io.brain.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonValuesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}{} | {};{}",
                "' {\"a\":\"}\\\"]\"} \n[1,[2]]' | {\"a\":\"}\\\"]\"};[1,[2]]",
                "'5 {}' | 5;{}",
                "'5{}' | 5;{}",
                "'null\"x\"' | null;\"x\"",
                "} | }",
                "{\"a\":{ | (rest){\"a\":{",
                "'{} x' | {};(rest)x",
                "'{}  ' | {}",
                "'  ' | ''",
            })
    void valuesEndWhereTheyEnd(String text, String values) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int step = 1; step <= bytes.length; step++) {
            assertThat(String.join(";", cut(bytes, step))).as("parts of " + step).isEqualTo(values);
        }
    }

    private static List<String> cut(byte[] bytes, int step) {
        JsonValues values = new JsonValues();
        List<String> found = new ArrayList<>();
        for (int from = 0; from < bytes.length; from += step) {
            values.add(ByteBuffer.wrap(bytes, from, Math.min(step, bytes.length - from)));
            while (values.hasNext()) {
                found.add(new String(values.next(), StandardCharsets.UTF_8));
            }
        }
        if (values.hasRest()) {
            found.add("(rest)" + new String(values.next(), StandardCharsets.UTF_8));
        }
        return found;
    }
}
