package io.brain.server.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.watch.WatchSink.Refusal;
import io.brain.proto.stored.WatchResponse;
import java.util.List;
import java.util.function.Consumer;

/** Makes the responses of a watch stream. */
final class WatchResponses {
    private static final int TAG_BYTES = 1;

    private final Headers headers;
    private final int fragmentBytesMax;

    /**
     * Makes responses.
     *
     * @param fragmentBytesMax what a cut response stays below, if it has more than one event
     */
    WatchResponses(Headers headers, int fragmentBytesMax) {
        this.headers = headers;
        this.fragmentBytesMax = fragmentBytesMax;
    }

    WatchResponse created(long watchId, long revision) {
        return response(watchId, revision).setCreated(true).build();
    }

    WatchResponse refused(long watchId, long revision, Refusal refusal) {
        return response(watchId, revision)
                .setCreated(true)
                .setCanceled(true)
                .setCancelReason(reason(refusal))
                .build();
    }

    WatchResponse progress(long watchId, long revision) {
        return response(watchId, revision).build();
    }

    WatchResponse canceled(long watchId, long revision) {
        return response(watchId, revision).setCanceled(true).build();
    }

    WatchResponse compacted(long watchId, long compactRevision) {
        return response(watchId, 0).setCanceled(true).setCompactRevision(compactRevision).build();
    }

    /**
     * Hands {@code events} to {@code out}, in one response or, if {@code fragment}, in as many as
     * keep below the limit.
     */
    void events(
            WatchResponse.Builder head,
            List<WatchEvent> events,
            boolean prevKv,
            boolean fragment,
            Consumer<WatchResponse> out) {
        long most = fragment ? fragmentBytesMax : Long.MAX_VALUE;
        long whole = sizeOf(head) + sizeOf(events, prevKv);
        if (whole < most || events.size() < 2) {
            most = Long.MAX_VALUE;
        }
        int at = 0;
        while (at < events.size()) {
            WatchResponse.Builder piece = head.clone().setFragment(true);
            long size = sizeOf(piece);
            do {
                ByteString event = Answers.wrap(events.get(at).encoded(prevKv));
                size += sizeOf(event.size());
                if (piece.getEventsCount() > 0 && size >= most) {
                    break;
                }
                piece.addEvents(event);
                at++;
            } while (at < events.size());
            out.accept(piece.setFragment(at < events.size()).build());
        }
    }

    WatchResponse.Builder response(long watchId, long revision) {
        return WatchResponse.newBuilder().setHeader(headers.at(revision)).setWatchId(watchId);
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

    private static String reason(Refusal refusal) {
        return switch (refusal) {
            case DUPLICATE_ID -> "mvcc: duplicate watch ID provided on the WatchStream";
            case EMPTY_RANGE -> "mvcc: watcher range is empty";
            case NEGATIVE_REVISION -> "etcdserver: mvcc: required revision has been compacted";
        };
    }
}
