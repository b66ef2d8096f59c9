package io.brain.conformance.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.brain.proto.etcd.AlarmResponse;
import io.brain.proto.etcd.DeleteRangeResponse;
import io.brain.proto.etcd.LeaseGrantResponse;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.brain.proto.etcd.MemberListResponse;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.StatusResponse;
import io.brain.proto.etcd.TxnResponse;
import io.brain.proto.etcd.WatchResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever changes in an answer is seen, unless it is on the list of what may differ. */
class MessageDiffTest {

    /** Nested transactions are filled in this deep. */
    private static final int DEPTH_MAX = 7;

    /** What {@link Mask} takes out on purpose; all else must be seen. */
    private static final List<String> MAY_DIFFER =
            List.of(
                    "cluster_id",
                    "member_id",
                    "raft_term",
                    "dbSize",
                    "dbSizeInUse",
                    "dbSizeQuota",
                    "leader",
                    "raftIndex",
                    "raftTerm",
                    "raftAppliedIndex",
                    "peerURLs",
                    "ID", // of a member; lease ids are looked at below
                    "memberID");

    static Stream<Descriptor> answers() {
        return Stream.of(
                RangeResponse.getDescriptor(),
                PutResponse.getDescriptor(),
                DeleteRangeResponse.getDescriptor(),
                TxnResponse.getDescriptor(),
                WatchResponse.getDescriptor(),
                LeaseGrantResponse.getDescriptor(),
                LeaseTimeToLiveResponse.getDescriptor(),
                AlarmResponse.getDescriptor(),
                StatusResponse.getDescriptor(),
                MemberListResponse.getDescriptor());
    }

    @ParameterizedTest
    @MethodSource("answers")
    void everyChangeIsSeen(Descriptor type) {
        Message full = filled(type, 0);
        assertThat(MessageDiff.between(full, full)).isEmpty();
        List<Change> changes = new ArrayList<>();
        changes("", full, changes);
        assertThat(changes).hasSizeGreaterThan(type.getFields().size());
        for (Change change : changes) {
            assertThat(MessageDiff.between(full, change.message())).as(change.path()).isNotEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("answers")
    void onlyWhatMayDifferIsMasked(Descriptor type) {
        Message full = filled(type, 0);
        List<Change> changes = new ArrayList<>();
        changes("", full, changes);
        for (Change change : changes) {
            String field = change.path().substring(change.path().lastIndexOf('.') + 1);
            boolean memberId =
                    !field.equals("ID") || type.equals(MemberListResponse.getDescriptor());
            if (change.gone() || (MAY_DIFFER.contains(field) && memberId)) {
                continue;
            }
            assertThat(MessageDiff.between(masked(full), masked(change.message())))
                    .as(change.path())
                    .isNotEmpty();
        }
    }

    @Test
    void unknownFieldsAreSeen() {
        UnknownFieldSet extra =
                UnknownFieldSet.newBuilder()
                        .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                        .build();
        PutResponse plain = PutResponse.getDefaultInstance();
        PutResponse more = plain.toBuilder().setUnknownFields(extra).build();
        assertThat(MessageDiff.between(plain, more)).hasSize(1);
    }

    @Test
    void anAbsentMessageAndAnEmptyOneDiffer() {
        PutResponse absent = PutResponse.getDefaultInstance();
        PutResponse empty =
                absent.toBuilder()
                        .setPrevKv(io.brain.proto.mvcc.KeyValue.getDefaultInstance())
                        .build();
        assertThat(MessageDiff.between(absent, empty)).containsExactly("prev_kv: absent | {}");
    }

    private record Change(String path, Message message, boolean gone) {}

    private static Message masked(Message message) {
        return new Mask(new Names()).answer(message);
    }

    /** All messages that differ from this one in one field, at any depth. */
    private static void changes(String path, Message message, List<Change> into) {
        for (FieldDescriptor field : message.getAllFields().keySet()) {
            String at = path + "." + field.getName();
            into.add(new Change(at, message.toBuilder().clearField(field).build(), true));
            Object value =
                    field.isRepeated()
                            ? message.getRepeatedField(field, 0)
                            : message.getField(field);
            if (value instanceof Message inner) {
                List<Change> within = new ArrayList<>();
                changes(at, inner, within);
                within.forEach(
                        c ->
                                into.add(
                                        new Change(
                                                c.path(),
                                                with(message, field, c.message()),
                                                c.gone())));
            } else {
                into.add(new Change(at, with(message, field, other(field, value)), false));
            }
        }
    }

    private static Message with(Message message, FieldDescriptor field, Object value) {
        Message.Builder builder = message.toBuilder();
        return field.isRepeated()
                ? builder.setRepeatedField(field, 0, value).build()
                : builder.setField(field, value).build();
    }

    private static Message filled(Descriptor type, int depth) {
        DynamicMessage.Builder builder = DynamicMessage.newBuilder(type);
        for (FieldDescriptor field : type.getFields()) {
            boolean tooDeep =
                    depth >= DEPTH_MAX && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
            boolean otherOfOneof =
                    field.getContainingOneof() != null
                            && field.getContainingOneof().getFieldCount() > 1
                            && field.getIndex() != (depth % 4);
            if (tooDeep || otherOfOneof) {
                continue;
            }
            Object value = value(field, depth);
            if (field.isRepeated()) {
                builder.addRepeatedField(field, value);
            } else {
                builder.setField(field, value);
            }
        }
        return builder.build();
    }

    private static Object value(FieldDescriptor field, int depth) {
        return switch (field.getJavaType()) {
            case INT -> 40;
            case LONG -> 40L;
            case BOOLEAN -> true;
            case STRING -> "text";
            case BYTE_STRING -> ByteString.copyFromUtf8("bytes");
            case ENUM -> field.getEnumType().getValues().get(1);
            case MESSAGE -> filled(field.getMessageType(), depth + 1);
            default -> throw new IllegalArgumentException(field.getFullName());
        };
    }

    private static Object other(FieldDescriptor field, Object value) {
        return switch (field.getJavaType()) {
            case INT -> (int) value + 2;
            case LONG -> (long) value + 2;
            case BOOLEAN -> !(boolean) value;
            case STRING -> value + "!";
            case BYTE_STRING -> ByteString.copyFromUtf8("other");
            case ENUM -> field.getEnumType().getValues().get(0);
            default -> throw new IllegalArgumentException(field.getFullName());
        };
    }
}
