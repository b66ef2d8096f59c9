package io.brain.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.google.protobuf.Message;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.TxnRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What etcd's gateway accepts and refuses. */
class JsonDecoderTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "5 | 5",
                "\"5\" | 5",
                "1e3 | 1000",
                "\"1.50e1\" | 15",
                "-0 | 0",
                "3.0 | 3",
                "100e-2 | 1",
                "\"4 x\" | 4",
                "9223372036854775807 | 9223372036854775807",
                "-9223372036854775808 | -9223372036854775808",
                "0e99999999999999999999 | 0",
            })
    void integersInAnyNotation(String json, long value) throws Exception {
        assertThat(range("{\"limit\":" + json + "}").getLimit()).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "9223372036854775808",
                "1.5",
                "1e30",
                "1e999999999",
                "1e-1",
                "\" 1\"",
                "\"1 \"",
                "\"\"",
                "\"x\"",
                "\"5x\"",
                "\"+1\"",
                "\"007\"",
                "true",
                "[]",
                "{}"
            })
    void otherTextsAreNoIntegers(String json) {
        assertThatThrownBy(() -> range("{\"limit\":" + json + "}"))
                .isInstanceOf(JsonException.class)
                .hasMessage("proto: invalid value for int64 field limit");
    }

    @ParameterizedTest
    @CsvSource({"Zm9v, foo", "Zm8, fo", "Zg==, f", "Zg, f", "Zm9v\\n, foo", "'', ''"})
    void bytesInBothAlphabetsWithAndWithoutPadding(String json, String value) throws Exception {
        assertThat(range("{\"key\":\"" + json + "\"}").getKey().toStringUtf8()).isEqualTo(value);
    }

    @Test
    void bytesInTheUrlAlphabet() throws Exception {
        assertThat(range("{\"key\":\"_-8=\"}").getKey())
                .isEqualTo(range("{\"key\":\"/+8\"}").getKey());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Z", "Zg=", "Z*==", "_+==", "Zg==Zg==", "Zg==\\n"})
    void otherTextsAreNoBytes(String json) {
        assertThatThrownBy(() -> range("{\"key\":\"" + json + "\"}"))
                .hasMessage("proto: invalid value for bytes field key");
    }

    @Test
    void namesOfBothFormsNullsAndUnknownFields() throws Exception {
        RangeRequest request =
                range(
                        "{\"rangeEnd\":\"Zg\",\"sort_order\":\"DESCEND\",\"sortTarget\":2,"
                                + "\"revision\":null,\"keysOnly\":true,\"x\":{\"y\":[1,[]]},"
                                + "\"serializable\":false}");
        assertThat(request)
                .isEqualTo(
                        RangeRequest.newBuilder()
                                .setRangeEnd(com.google.protobuf.ByteString.copyFromUtf8("f"))
                                .setSortOrder(RangeRequest.SortOrder.DESCEND)
                                .setSortTargetValue(2)
                                .setKeysOnly(true)
                                .build());
        assertThat(range("{\"sort_order\":\"NOPE\"}")).isEqualTo(RangeRequest.getDefaultInstance());
        assertThat(range("{\"sort_order\":77}").getSortOrderValue()).isEqualTo(77);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[] | unexpected token",
                "null | unexpected token",
                "{ | unexpected EOF",
                "{\"limit\":01} | invalid JSON",
                "{'limit':1} | invalid JSON",
                "{\"limit\":1,} | invalid JSON",
                "{\"x\":NaN} | invalid JSON",
                "{\"x\":\"\\ud800\"} | invalid escape code",
                "{\"limit\":1,\"limit\":1} | duplicate field \"limit\"",
            })
    void malformedTexts(String json, String error) {
        assertThatThrownBy(() -> range(json)).hasMessageContaining(error);
    }

    @Test
    void onlyOneFieldOfAChoice() {
        assertThatThrownBy(
                        () ->
                                decode(
                                        "{\"compare\":[{\"version\":1,\"lease\":2}]}",
                                        TxnRequest.getDefaultInstance()))
                .hasMessageContaining("target_union is already set");
    }

    /** The depth must not cost stack; the value that is refused must not be in the text. */
    @Test
    void nestingIsLimitedAndErrorsNameNoValues() {
        String open = "{\"success\":[{\"request_txn\":".repeat(5_000);
        String close = "}]}".repeat(5_000);
        assertThatThrownBy(() -> decode(open + "{}" + close, TxnRequest.getDefaultInstance()))
                .hasMessage("proto: exceeded max recursion depth");
        String deep = "[".repeat(20_000) + "]".repeat(20_000);
        assertThatThrownBy(() -> range("{\"x\":" + deep + "}")).hasMessageContaining("invalid");
        assertThatThrownBy(() -> range("{\"key\":\"se*cret\"}")).hasMessageNotContaining("se*cret");
        byte[] broken = {'{', '"', 'x', '"', ':', '"', (byte) 0xff, '"', '}'};
        assertThatThrownBy(() -> JsonDecoder.decode(broken, RangeRequest.getDefaultInstance()))
                .hasMessageContaining("invalid UTF-8");
    }

    private static RangeRequest range(String json) throws JsonException {
        return (RangeRequest) decode(json, RangeRequest.getDefaultInstance());
    }

    private static Message decode(String json, Message type) throws JsonException {
        return JsonDecoder.decode(json.getBytes(StandardCharsets.UTF_8), type);
    }

    @Test
    void aLongNumberIsReadInProportionToItsLength() {
        String zeros = "0".repeat(1 << 20);
        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> {
                    assertThat(range("{\"limit\":\"7." + zeros + "\"}").getLimit()).isEqualTo(7);
                    assertThat(range("{\"limit\":\"0." + zeros + "\"}").getLimit()).isZero();
                    for (String large :
                            List.of("1" + zeros, "1".repeat(1 << 20), "0." + zeros + "1")) {
                        assertThatThrownBy(() -> range("{\"limit\":\"" + large + "\"}"))
                                .hasMessage("proto: invalid value for int64 field limit");
                    }
                });
    }
}
