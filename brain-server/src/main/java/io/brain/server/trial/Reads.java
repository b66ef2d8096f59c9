package io.brain.server.trial;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeRequest.SortOrder;
import io.brain.proto.etcd.RangeRequest.SortTarget;
import io.brain.storage.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Ranges to ask the source for when no client does. Used by one thread. */
final class Reads implements Supplier<RangeRequest> {
    private static final int LIMIT = 500;

    /** Revisions back; what the source has compacted is not compared. */
    private static final long BACK_MAX = 1000;

    private static final int KINDS = 6;
    private static final byte PREFIX_END = '/';

    private final Survey survey;
    private final Random random;

    /** Reads of the keys of a survey, which has some. */
    Reads(Survey survey, Random random) {
        this.survey = survey;
        this.random = random;
    }

    @Override
    public RangeRequest get() {
        List<Bytes> keys = survey.sample();
        Bytes key = keys.get(random.nextInt(keys.size()));
        RangeRequest.Builder get = RangeRequest.newBuilder().setKey(string(key));
        RangeRequest.Builder list = directory(key).setLimit(LIMIT);
        RangeRequest.Builder chosen =
                switch (random.nextInt(KINDS)) {
                    case 0 -> get;
                    case 1 -> list;
                    case 2 -> directory(key).setCountOnly(true);
                    case 3 -> list.setKeysOnly(true);
                    case 4 -> list.setSortTarget(SortTarget.MOD).setSortOrder(SortOrder.DESCEND);
                    default ->
                            get.setRevision(
                                    Math.max(1, survey.revision() - random.nextLong(BACK_MAX)));
                };
        return chosen.build();
    }

    /** The keys up to the last slash of a key. */
    private static RangeRequest.Builder directory(Bytes key) {
        byte[] bytes = key.array();
        int length = bytes.length;
        while (length > 1 && bytes[length - 1] != PREFIX_END) {
            length--;
        }
        byte[] end = Arrays.copyOf(bytes, length);
        end[length - 1]++;
        return RangeRequest.newBuilder()
                .setKey(ByteString.copyFrom(bytes, 0, length))
                .setRangeEnd(ByteString.copyFrom(end));
    }

    private static ByteString string(Bytes bytes) {
        return ByteString.copyFrom(bytes.array());
    }
}
