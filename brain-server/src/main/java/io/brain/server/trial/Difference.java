package io.brain.server.trial;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.mvcc.KeyValue;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Says in words how two answers to the same range differ. */
final class Difference {
    /** Longer keys are cut. */
    private static final int SHOWN_BYTES_MAX = 120;

    private static final char FIRST_SHOWN = ' ';
    private static final char LAST_SHOWN = '~';

    private Difference() {}

    /** The first difference without the headers; null if there is none. */
    static String of(RangeResponse there, RangeResponse here) {
        List<KeyValue> theirs = there.getKvsList();
        List<KeyValue> ours = here.getKvsList();
        for (int i = 0; i < Math.min(theirs.size(), ours.size()); i++) {
            if (!theirs.get(i).equals(ours.get(i))) {
                return ofKeys(theirs, ours, i);
            }
        }
        if (theirs.size() != ours.size()) {
            boolean more = theirs.size() > ours.size();
            KeyValue only = (more ? theirs : ours).get(Math.min(theirs.size(), ours.size()));
            return "key %s only %s".formatted(text(only.getKey()), more ? "there" : "here");
        }
        if (there.getCount() != here.getCount()) {
            return "count %d there, %d here".formatted(there.getCount(), here.getCount());
        }
        if (there.getMore() != here.getMore()) {
            return "more %s there, %s here".formatted(there.getMore(), here.getMore());
        }
        return null;
    }

    private static String ofKeys(List<KeyValue> theirs, List<KeyValue> ours, int at) {
        KeyValue there = theirs.get(at);
        KeyValue here = ours.get(at);
        if (there.getKey().equals(here.getKey())) {
            String fields =
                    KeyValue.getDescriptor().getFields().stream()
                            .filter(field -> !there.getField(field).equals(here.getField(field)))
                            .map(field -> ofField(field, there, here))
                            .collect(Collectors.joining(", "));
            return "key %s: %s".formatted(text(there.getKey()), fields);
        }
        if (!keys(ours).contains(there.getKey())) {
            return "key %s only there".formatted(text(there.getKey()));
        }
        if (!keys(theirs).contains(here.getKey())) {
            return "key %s only here".formatted(text(here.getKey()));
        }
        return "order: %s there, %s here at place %d"
                .formatted(text(there.getKey()), text(here.getKey()), at);
    }

    private static Set<ByteString> keys(List<KeyValue> list) {
        Set<ByteString> keys = new HashSet<>();
        list.forEach(pair -> keys.add(pair.getKey()));
        return keys;
    }

    private static String ofField(FieldDescriptor field, KeyValue there, KeyValue here) {
        if (field.getType() == FieldDescriptor.Type.BYTES) {
            return "%s of %d bytes there, of %d here"
                    .formatted(field.getName(), there.getValue().size(), here.getValue().size());
        }
        return "%s %s there, %s here"
                .formatted(field.getName(), there.getField(field), here.getField(field));
    }

    /** Which keys are asked for. */
    static String name(RangeRequest request) {
        String key = text(request.getKey());
        return request.getRangeEnd().isEmpty()
                ? "get " + key
                : "range " + key + " to " + text(request.getRangeEnd());
    }

    private static String text(ByteString key) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < Math.min(key.size(), SHOWN_BYTES_MAX); i++) {
            char each = (char) (key.byteAt(i) & 0xff);
            boolean shown = each >= FIRST_SHOWN && each <= LAST_SHOWN && each != '"';
            text.append(shown ? String.valueOf(each) : "\\x%02x".formatted((int) each));
        }
        return text.append(key.size() > SHOWN_BYTES_MAX ? "...\"" : "\"").toString();
    }
}
