package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Lists of texts within small records: their number, then each in UTF-8 with its length. */
final class Texts {
    private Texts() {}

    static ByteWriter write(ByteWriter out, List<String> texts) {
        out.putVarint(texts.size());
        texts.forEach(text -> out.putSized(Bytes.utf8(text)));
        return out;
    }

    static List<String> read(ByteReader in) {
        List<String> texts = new ArrayList<>();
        for (long left = in.getVarint(); left > 0; left--) {
            texts.add(new String(in.getSized().array(), StandardCharsets.UTF_8));
        }
        return texts;
    }
}
