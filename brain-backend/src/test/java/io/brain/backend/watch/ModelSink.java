package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.WatchEvent;
import io.brain.storage.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A transport that knows what every watcher of its stream must be told, from the history itself,
 * and holds each response against that.
 */
final class ModelSink implements WatchSink {
    /** Most reads of the log that can be under way. */
    private static final int READS_MAX = 3;

    private final History history;
    private final boolean resumes;
    private final ArrayDeque<WatchRequest> requested = new ArrayDeque<>();
    private final Map<Long, Expected> watchers = new HashMap<>();
    private long nextId;
    private int room;
    private ModelViolation violation;
    int progresses;
    int compactions;
    int eventResponses;
    int batches;

    /** Event responses to watchers that started below the compact revision. */
    int resumed;

    /**
     * A transport.
     *
     * @param resumes whether watchers that started below the compact revision get all or nothing
     */
    ModelSink(History history, boolean resumes) {
        this.history = history;
        this.resumes = resumes;
    }

    /** One watcher, as far as it was told. */
    private static final class Expected {
        private final WatchRequest request;
        // Nothing below this was wanted, or everything below it was told.
        private long next;
        private boolean compacted;
        private boolean below;

        private Expected(WatchRequest request, long next) {
            this.request = request;
            this.next = next;
        }
    }

    void expect(WatchRequest request) {
        requested.add(request);
    }

    /** Takes this many more event responses. */
    void limit(int responses) {
        room = responses;
    }

    /** Ids of existing watchers. */
    List<Long> ids() {
        return new ArrayList<>(watchers.keySet());
    }

    /** Every watcher has been told everything by now, or was ended. */
    void checkCaughtUp() {
        watchers.forEach(
                (id, expected) -> {
                    if (!expected.compacted) {
                        check(
                                wanted(expected, history.revision()).isEmpty(),
                                "watcher %d lacks events from %d on",
                                id,
                                expected.next);
                        expected.next = Math.max(expected.next, history.revision() + 1);
                    }
                });
        check(requested.isEmpty(), "requests without answer: %s", requested);
    }

    /** True if a progress request must be answered now. */
    boolean allSynced() {
        return !watchers.isEmpty()
                && watchers.values().stream()
                        .allMatch(
                                expected ->
                                        !expected.compacted
                                                && expected.request.startRevision()
                                                        <= history.revision());
    }

    @Override
    public long takenBytes() {
        return 0;
    }

    @Override
    public boolean isReady() {
        return room > 0;
    }

    @Override
    public void created(long watchId, long revision) {
        WatchRequest request = requested.remove();
        check(request.startRevision() >= 0, "created with a negative revision");
        check(!request.span().isEmpty(), "created for no key");
        check(!watchers.containsKey(watchId), "id %d is taken", watchId);
        check(revision == history.revision(), "created @%d", revision);
        if (request.watchId() == 0) {
            while (watchers.containsKey(nextId)) {
                nextId++;
            }
            check(watchId == nextId++, "id %d was dealt", watchId);
        } else {
            check(watchId == request.watchId(), "id %d was dealt", watchId);
        }
        long start = request.startRevision();
        boolean past = start != 0 && start <= revision;
        Expected expected = new Expected(request, past ? start : Math.max(start, revision + 1));
        expected.below = past && start < history.revisions().floor();
        watchers.put(watchId, expected);
    }

    @Override
    public void refused(long revision, Refusal refusal) {
        WatchRequest request = requested.remove();
        Refusal expected =
                request.startRevision() < 0
                        ? Refusal.NEGATIVE_REVISION
                        : request.span().isEmpty() ? Refusal.EMPTY_RANGE : Refusal.DUPLICATE_ID;
        check(refusal == expected, "refused: %s", refusal);
        if (refusal == Refusal.DUPLICATE_ID) {
            check(watchers.containsKey(request.watchId()), "id %d is free", request.watchId());
        }
        check(revision == history.revision(), "refused @%d", revision);
    }

    @Override
    public void events(
            long watchId,
            long revision,
            List<WatchEvent> events,
            boolean prevKv,
            boolean fragment) {
        // A read of the log that was begun while there was room is sent all the same.
        check(room > -READS_MAX, "events for a full transport");
        room--;
        eventResponses++;
        Expected expected = watchers.get(watchId);
        check(expected != null && !expected.compacted, "events for %d", watchId);
        resumed += expected.below ? 1 : 0;
        check(prevKv == expected.request.prevKv(), "prevKv");
        check(fragment == expected.request.fragment(), "fragment");
        check(!events.isEmpty(), "a response without events");
        long last = events.get(events.size() - 1).revision();
        check(last <= revision && revision <= history.revision(), "header %d", revision);
        batches += events.get(0).revision() == last ? 0 : 1;
        List<WatchEvent> wanted = wanted(expected, last);
        check(
                wanted.size() == events.size(),
                "watcher %d got %d events up to %d, not %d",
                watchId,
                events.size(),
                last,
                wanted.size());
        for (int i = 0; i < wanted.size(); i++) {
            checkSame(events.get(i), wanted.get(i), prevKv, expected.below);
        }
        expected.next = last + 1;
    }

    private void checkSame(WatchEvent actual, WatchEvent wanted, boolean prevKv, boolean below) {
        check(
                actual.revision() == wanted.revision()
                        && actual.key().equals(wanted.key())
                        && actual.isDelete() == wanted.isDelete()
                        && actual.kv().equals(wanted.kv()),
                "%s, not %s",
                RecordingSink.show(actual, true),
                RecordingSink.show(wanted, true));
        Bytes prev = actual.prevKv();
        boolean compacted = wanted.revision() - 1 < history.revisions().floor();
        if (prevKv && (below || !(compacted && prev == null))) {
            check(
                    Objects.equals(prev, wanted.prevKv()),
                    "%s, not %s",
                    RecordingSink.show(actual, true),
                    RecordingSink.show(wanted, true));
        }
    }

    @Override
    public void progress(long watchId, long revision) {
        progresses++;
        check(room > 0, "progress for a full transport");
        check(revision == history.revision(), "progress @%d", revision);
        watchers.forEach(
                (id, expected) -> {
                    if (watchId == NO_WATCHER || id == watchId) {
                        check(!expected.compacted, "progress with %d compacted", id);
                        check(
                                wanted(expected, revision).isEmpty(),
                                "progress @%d, but watcher %d lacks events from %d on",
                                revision,
                                id,
                                expected.next);
                        check(
                                expected.request.startRevision() <= revision,
                                "progress @%d before the start of %d",
                                revision,
                                id);
                    }
                });
    }

    @Override
    public void canceled(long watchId, long revision) {
        check(watchers.remove(watchId) != null, "canceled %d", watchId);
        check(revision == history.revision(), "canceled @%d", revision);
    }

    @Override
    public void compacted(long watchId, long compactRevision) {
        compactions++;
        Expected expected = watchers.get(watchId);
        check(expected != null && !expected.compacted, "compacted %d", watchId);
        check(compactRevision <= history.revisions().floor(), "floor %d", compactRevision);
        // The value that the compact revision replaced is not readable.
        boolean lacksPrev =
                resumes
                        && expected.request.prevKv()
                        && expected.request.startRevision() < compactRevision;
        check(
                expected.next < compactRevision + (lacksPrev ? 1 : 0),
                "watcher %d stands at %d and was ended by a compaction at %d",
                watchId,
                expected.next,
                compactRevision);
        expected.compacted = true;
    }

    @Override
    public void failed(BackendException cause) {
        if (violation == null) {
            violation = new ModelViolation("the stream failed: " + cause.kind());
        }
    }

    @Override
    public void stalled() {
        failed(new BackendException(ErrorKind.WATCH_INTERRUPTED));
    }

    /** Throws what was wrong first. */
    void check() {
        if (violation != null) {
            throw violation;
        }
    }

    private List<WatchEvent> wanted(Expected expected, long last) {
        List<WatchEvent> wanted = new ArrayList<>();
        if (expected.next > last) {
            return wanted;
        }
        for (List<WatchEvent> events :
                history.events().subMap(expected.next, true, last, true).values()) {
            for (WatchEvent event : events) {
                if (expected.request.span().contains(event.key())
                        && expected.request.wants(event.isDelete())) {
                    wanted.add(event);
                }
            }
        }
        return wanted;
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private void check(boolean holds, String message, Object... args) {
        if (!holds) {
            ModelViolation wrong = new ModelViolation(String.format(message, args));
            violation = violation == null ? wrong : violation;
            throw wrong;
        }
    }

    /** The hub takes it for a transport's failure, so it is kept for {@link #check()}. */
    static final class ModelViolation extends AssertionError {
        private static final long serialVersionUID = 1L;

        private ModelViolation(String message) {
            super(message);
        }
    }
}
