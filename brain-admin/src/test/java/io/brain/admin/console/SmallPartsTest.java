package io.brain.admin.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SmallPartsTest {
    private long now;

    @Test
    void textIsShownUnchangedAndOtherBytesEscaped() {
        assertThat(KeyText.of(Bytes.utf8("/ключ/<b>"))).isEqualTo("/ключ/<b>");
        assertThat(KeyText.of(Bytes.wrap(new byte[] {'a', 0, (byte) 0xff})))
                .isEqualTo("a\\x00\\xff");
        assertThat(KeyText.text(Bytes.utf8("two\nlines\t"))).isEqualTo("two\nlines\t");
        assertThat(KeyText.text(Bytes.utf8("\u001b[2J"))).isNull();
        assertThat(KeyText.text(Bytes.wrap(new byte[] {(byte) 0xc3}))).isNull();
    }

    @Test
    void spansAreDescribed() {
        assertThat(KeyText.of(KeySpan.ALL)).isEqualTo("all keys");
        assertThat(KeyText.of(KeySpan.of(Bytes.utf8("k")))).isEqualTo("k");
        assertThat(KeyText.of(span("/a/", "/a0"))).isEqualTo("/a/*");
        assertThat(KeyText.of(span("a", "c"))).isEqualTo("from a to c");
        assertThat(KeyText.of(span("a", "\0"))).isEqualTo("from a on");
    }

    @Test
    void bytesAreGivenAsTextOrInBase64() {
        Query query = new Query(Map.of("a", "k/ü", "b64", "AP8", "c64", "?"));
        assertThat(query.bytes("a")).isEqualTo(Bytes.utf8("k/ü"));
        assertThat(query.bytes("b")).isEqualTo(Bytes.wrap(new byte[] {0, (byte) 0xff}));
        assertThat(query.bytes("d")).isEqualTo(Bytes.EMPTY);
        assertThatThrownBy(() -> query.bytes("c")).hasMessage("c64 is not URL-safe Base64");
        assertThatThrownBy(() -> query.required("d")).hasMessage("missing parameter: d");
    }

    @ParameterizedTest
    @CsvSource({"7, 7", "'', 3", "0, 0", "10, 10"})
    void aNumberHasADefault(String text, long number) {
        assertThat(new Query(Map.of("n", text)).number("n", 3, 10)).isEqualTo(number);
    }

    @ParameterizedTest
    @CsvSource({"-1", "11", "x", "1e3", "99999999999999999999"})
    void aMalformedNumberIsRefused(String text) {
        Query query = new Query(Map.of("n", text));
        assertThatThrownBy(() -> query.number("n", 3, 10))
                .isInstanceOf(Query.InvalidException.class)
                .hasMessage("n is not a number from 0 to 10");
    }

    @Test
    void concurrentQueriesShareOneAnswer() {
        Deque<CompletableFuture<JsonObject>> calls = new ArrayDeque<>();
        Console.Cached cached =
                new Console.Cached(
                        () -> {
                            calls.add(new CompletableFuture<>());
                            return calls.getLast();
                        },
                        Duration.ofNanos(10),
                        () -> now);
        Query any = new Query(Map.of());
        CompletableFuture<JsonObject> first = cached.answer(any);
        now = 100;
        assertThat(cached.answer(any)).as("running").isSameAs(first);
        calls.getLast().complete(new JsonObject());
        now = 111;
        CompletableFuture<JsonObject> second = cached.answer(any);
        assertThat(second).isNotSameAs(first);
        calls.getLast().completeExceptionally(new IllegalStateException("away"));
        assertThat(cached.answer(any)).as("after a failure").isNotSameAs(second);
        assertThat(calls).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({"0.00012345, 1.235E-4", "12.3456, 12.35", "123456.7, 123457", "0, 0"})
    void numbersHaveFourDigits(double value, double rounded) {
        assertThat(Json.rounded(value)).isEqualTo(rounded);
    }

    private static KeySpan span(String key, String end) {
        return KeySpan.of(Bytes.utf8(key), Bytes.utf8(end));
    }
}
