package io.brain.conformance.history;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Moves a request to another place in the sequence of revisions, so that a history can be played on
 * a store that is not at the revision it was made for.
 */
final class Revisions {

    private static final Set<String> FIELDS =
            Set.of(
                    "revision",
                    "start_revision",
                    "create_revision",
                    "mod_revision",
                    "min_mod_revision",
                    "max_mod_revision",
                    "min_create_revision",
                    "max_create_revision");

    /** Revisions from here on mean "too high", whatever the store. */
    private static final long FAR = 1L << 40;

    private Revisions() {}

    /** The request with every revision that means a place in the history moved by so many. */
    static Message moved(Message request, long by) {
        if (by == 0) {
            return request;
        }
        Message.Builder builder = request.toBuilder();
        for (Map.Entry<FieldDescriptor, Object> entry : request.getAllFields().entrySet()) {
            FieldDescriptor field = entry.getKey();
            if (field.isRepeated() && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                List<?> elements = (List<?>) entry.getValue();
                for (int i = 0; i < elements.size(); i++) {
                    builder.setRepeatedField(field, i, moved((Message) elements.get(i), by));
                }
            } else if (entry.getValue() instanceof Message inner) {
                builder.setField(field, moved(inner, by));
            } else if (FIELDS.contains(field.getName())) {
                builder.setField(field, moved((long) entry.getValue(), by));
            }
        }
        return builder.build();
    }

    private static long moved(long revision, long by) {
        return revision > 0 && revision < FAR ? Math.max(1, revision + by) : revision;
    }
}
