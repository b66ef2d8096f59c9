package io.brain.storage.tikv.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PdKeysTest {
    @ParameterizedTest
    @CsvSource({
        "'', 0000000000000000f7",
        "61, 6100000000000000f8",
        "61626364656667, 6162636465666700fe",
        "6162636465666768, 6162636465666768ff0000000000000000f7",
        "616263646566676869, 6162636465666768ff6900000000000000f8",
        "ff00, ff00000000000000f9",
    })
    void keysAreEncodedAsInPd(String key, String encoded) {
        assertThat(PdKeys.encode(bytes(key))).isEqualTo(bytes(encoded));
        assertThat(PdKeys.decode(bytes(encoded))).isEqualTo(bytes(key));
    }

    @Test
    void encodedKeysHaveTheOrderOfTheKeys() {
        Random random = new Random(1);
        List<ByteString> keys = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            byte[] key = new byte[random.nextInt(20)];
            for (int j = 0; j < key.length; j++) {
                key[j] = (byte) (random.nextInt(4) - 1); // 0xff to 2
            }
            keys.add(ByteString.copyFrom(key));
        }
        keys.sort(Wire::compare);
        for (int i = 1; i < keys.size(); i++) {
            ByteString before = PdKeys.encode(keys.get(i - 1));
            assertThat(Integer.signum(Wire.compare(before, PdKeys.encode(keys.get(i)))))
                    .isEqualTo(Integer.signum(Wire.compare(keys.get(i - 1), keys.get(i))));
            assertThat(PdKeys.decode(before)).isEqualTo(keys.get(i - 1));
        }
    }

    @ParameterizedTest
    @CsvSource({"''", "61", "6100000000000000f6", "6162636465666768ff", "6100000000000000f800"})
    void otherBytesAreRefused(String encoded) {
        assertThatIllegalArgumentException().isThrownBy(() -> PdKeys.decode(bytes(encoded)));
    }

    private static ByteString bytes(String hex) {
        return ByteString.fromHex(hex);
    }
}
