package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.watch.WatchRequest;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A client that watches all keys, and resumes on another server after a failure. */
final class ClusterWatcher {
    private final Supplier<SimulatedServer> servers;
    private final ClientAnswers answers;
    private final List<StoredHistory.Change> seen = new ArrayList<>();
    private SimulatedServer server;
    private Sink sink;

    /** The next revision that it expects. */
    private long next = 2;

    /** Number of checked changes. */
    private int checked;

    private int resumed;

    ClusterWatcher(Supplier<SimulatedServer> servers, ClientAnswers answers) {
        this.servers = servers;
        this.answers = answers;
    }

    /** Opens a stream if it has none. */
    void act() {
        if (server == null || !server.isAlive()) {
            close();
            server = servers.get();
            if (server.isAlive()) {
                Sink mine = new Sink();
                sink = mine;
                mine.stream = server.node().watch(mine);
                mine.stream.create(
                        new WatchRequest(
                                1, ClusterClient.ALL, next, true, false, false, false, false));
                resumed++;
            }
        }
    }

    /** Leaves its server. */
    void close() {
        if (sink != null) {
            sink.over = true;
            if (server.isAlive()) {
                sink.stream.close();
            }
        }
        sink = null;
        server = null;
    }

    int resumed() {
        return resumed;
    }

    /** Compares the received changes with the history. */
    void check(StoredHistory history) {
        while (checked < seen.size()) {
            long revision = seen.get(checked).revision();
            List<StoredHistory.Change> changes = history.at(revision).changes();
            List<StoredHistory.Change> received =
                    seen.subList(checked, Math.min(seen.size(), checked + changes.size()));
            boolean cut = received.stream().allMatch(change -> change.previous() == null);
            if (cut && history.wasFloor(revision)) { // as in etcd: the replaced version is gone
                changes = changes.stream().map(StoredHistory.Change::withoutPrevious).toList();
            }
            assertThat(received).as("changes of revision %d", revision).isEqualTo(changes);
            checked += changes.size();
        }
    }

    void checkCaughtUp(StoredHistory history) {
        check(history);
        assertThat(next).isEqualTo(history.revision() + 1);
    }

    private final class Sink implements WatchSink {
        private WatchStream stream;
        private boolean over;

        @Override
        public long takenBytes() {
            return 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void created(long watchId, long revision) {
            unlessOver(() -> answers.sawRevision(revision));
        }

        @Override
        public void refused(long revision, Refusal refusal) {
            unlessOver(() -> assertThat(refusal).isNull());
        }

        @Override
        public void events(
                long watchId,
                long revision,
                List<WatchEvent> events,
                boolean prevKv,
                boolean fragment) {
            unlessOver(() -> events.forEach(event -> add(event, revision)));
        }

        private void add(WatchEvent event, long header) {
            boolean inOrder = event.revision() == next - 1 || event.revision() == next;
            assertThat(inOrder).as("event of %d, next is %d", event.revision(), next).isTrue();
            assertThat(event.revision()).isLessThanOrEqualTo(header);
            next = event.revision() + 1;
            seen.add(
                    new StoredHistory.Change(
                            StoredHistory.text(event.key()),
                            event.revision(),
                            event.isDelete() ? null : valueOf(event.kv()),
                            event.prevKv() == null ? null : valueOf(event.prevKv())));
            answers.sawRevision(header);
        }

        @Override
        public void progress(long watchId, long revision) {}

        @Override
        public void stalled() {
            throw new AssertionError("stalled");
        }

        @Override
        public void canceled(long watchId, long revision) {}

        @Override
        public void compacted(long watchId, long compactRevision) {
            unlessOver(
                    () -> {
                        assertThat(compactRevision).isGreaterThan(next);
                        next = compactRevision;
                        ClusterWatcher.this.close();
                    });
        }

        @Override
        public void failed(BackendException cause) {
            over = true;
            server = null;
            sink = null;
        }

        private void unlessOver(Runnable check) {
            if (over) {
                return;
            }
            try {
                check.run();
            } catch (RuntimeException | AssertionError violation) {
                answers.violations.add(violation);
            }
        }
    }

    private static String valueOf(Bytes kv) {
        return StoredHistory.text(KeyValue.decode(kv).value());
    }
}
