package io.brain.conformance.history;

import io.brain.conformance.compare.Transcript;
import io.brain.conformance.script.WatchStream;
import io.brain.conformance.script.Wire;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import java.util.concurrent.TimeUnit;

/** One watcher of a history, on a stream of its own. For one thread. */
final class HistoryWatcher implements AutoCloseable {

    private static final long CATCH_UP_SECONDS_MAX = 60;
    private static final long CREATE_MILLIS_MAX = 60_000;
    private static final long ASK_AGAIN_MILLIS = 25;

    private final String name;
    private final Transcript sent = new Transcript();
    private final WatchStream stream;
    private final long start;
    private long id;
    private long lastRevision;
    private boolean over;

    /** Asks for the watcher and waits for the answer. */
    HistoryWatcher(String name, Wire wire, WatchCreateRequest request) throws InterruptedException {
        this.name = name;
        this.start = request.getStartRevision();
        this.stream =
                new WatchStream(name, wire, new Metadata(), CallOptions.DEFAULT, new Transcript());
        stream.request(request.toBuilder());
        WatchResponse created = stream.poll(CREATE_MILLIS_MAX);
        if (created == null) {
            sent.add(name, "is not created");
            over = true;
        } else {
            note(created);
            id = created.getWatchId();
        }
    }

    /** What it was sent so far, and what was wrong with that. */
    Transcript sent() {
        return sent;
    }

    /**
     * Waits until the server says that everything up to this revision was sent, or that the watcher
     * is over. A watcher of the future is not waited for: it is sent nothing.
     */
    void catchUp(long revision) throws InterruptedException {
        if (start > revision) {
            return;
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CATCH_UP_SECONDS_MAX);
        boolean reached = false;
        while (!over && !reached) {
            stream.progressUnrecorded();
            WatchResponse response = stream.poll(ASK_AGAIN_MILLIS);
            while (response != null) {
                reached |= isProgress(response) && response.getHeader().getRevision() >= revision;
                note(response);
                response = reached || over ? null : stream.poll(ASK_AGAIN_MILLIS);
            }
            if (System.nanoTime() > deadline) {
                sent.add(name, "never says that it is at " + revision);
                over = true;
            }
        }
        drain();
    }

    /** Cancels it and waits for the answer. */
    void cancel() throws InterruptedException {
        if (over) {
            return;
        }
        stream.cancel(id);
        WatchResponse response = stream.poll(CREATE_MILLIS_MAX);
        while (response != null && !response.getCanceled()) {
            note(response);
            response = stream.poll(CREATE_MILLIS_MAX);
        }
        if (response == null) {
            sent.add(name, "is not cancelled");
        } else {
            note(response);
        }
        over = true;
    }

    /** Notes what has arrived. */
    void drain() throws InterruptedException {
        for (WatchResponse r = stream.poll(0); r != null; r = stream.poll(0)) {
            note(r);
        }
    }

    @Override
    public void close() {
        stream.close();
    }

    private static boolean isProgress(WatchResponse response) {
        return response.getWatchId() == -1 && !response.getCreated();
    }

    private void note(WatchResponse response) {
        if (isProgress(response)) {
            return; // how often it is answered is not defined
        }
        sent.add(name + " <-", response);
        over |= response.getCanceled();
        for (Event event : response.getEventsList()) {
            long revision = event.getKv().getModRevision();
            if (revision < lastRevision || revision < start) {
                sent.add(name, "goes back to " + revision);
            }
            lastRevision = revision;
        }
        if (response.getEventsCount() > 0 && response.getHeader().getRevision() < lastRevision) {
            sent.add(name, "has events after its header");
        }
    }
}
