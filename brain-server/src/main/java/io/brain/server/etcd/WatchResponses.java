package io.brain.server.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.watch.WatchSink.Refusal;
import io.brain.proto.stored.WatchResponse;
import io.brain.server.grpc.ByteStrings;
import io.brain.server.grpc.CallMetrics;
import io.brain.server.grpc.StatusMapper;
import io.grpc.Status;
import java.util.List;
import java.util.function.Consumer;

/** Builds the responses of watch streams. */
final class WatchResponses {
    private static final int TAG_BYTES = 1;

    private final Responses responses;
    private final int fragmentBytesMax;

    /**
     * Creates a builder.
     *
     * @param fragmentBytesMax limit of a fragment with more than one event, exclusive
     */
    WatchResponses(Responses responses, int fragmentBytesMax) {
        this.responses = responses;
        this.fragmentBytesMax = fragmentBytesMax;
    }

    /**
     * Passes the events to {@code out}, in one response, or in fragments if {@code fragment} is set
     * and they exceed the limit.
     */
    void events(
            WatchResponse.Builder head,
            List<WatchEvent> events,
            boolean prevKv,
            boolean fragment,
            Consumer<WatchResponse.Builder> out) {
        long bytesMax = fragment ? fragmentBytesMax : Long.MAX_VALUE;
        long whole = sizeOf(head) + sizeOf(events, prevKv);
        if (whole < bytesMax || events.size() < 2) {
            bytesMax = Long.MAX_VALUE;
        }
        int next = 0;
        while (next < events.size()) {
            WatchResponse.Builder response = head.clone().setFragment(true);
            long size = sizeOf(response);
            do {
                ByteString event = ByteStrings.wrap(events.get(next).encoded(prevKv));
                size += sizeOf(event.size());
                if (response.getEventsCount() > 0 && size >= bytesMax) {
                    break;
                }
                response.addEvents(event);
                next++;
            } while (next < events.size());
            out.accept(response.setFragment(next < events.size()));
        }
    }

    WatchResponse.Builder response(long watchId, long revision) {
        return WatchResponse.newBuilder().setHeader(responses.header(revision)).setWatchId(watchId);
    }

    private static long sizeOf(List<WatchEvent> events, boolean prevKv) {
        long size = 0;
        for (WatchEvent event : events) {
            size += sizeOf(event.encoded(prevKv).length());
        }
        return size;
    }

    private static long sizeOf(long eventBytes) {
        return TAG_BYTES + CodedOutputStream.computeUInt64SizeNoTag(eventBytes) + eventBytes;
    }

    private static long sizeOf(WatchResponse.Builder head) {
        return head.build().getSerializedSize();
    }

    /** The text of a missing permission, as grpc-go prints a status. */
    static String reason(ErrorKind why) {
        Status status = StatusMapper.of(why);
        return "rpc error: code = "
                + CallMetrics.goName(status.getCode())
                + " desc = "
                + status.getDescription();
    }

    static String reason(Refusal refusal) {
        return switch (refusal) {
            case DUPLICATE_ID -> "mvcc: duplicate watch ID provided on the WatchStream";
            case EMPTY_RANGE -> "mvcc: watcher range is empty";
            case NEGATIVE_REVISION -> "etcdserver: mvcc: required revision has been compacted";
        };
    }
}
