package io.brain.backend.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Replays the stored revisions on the {@link Model}, and compares every answer, published event and
 * stored record with it.
 */
final class HistoryCheck {
    /** Errors after which nothing may be stored. */
    private static final Set<ErrorKind> NOT_DONE =
            Set.of(
                    ErrorKind.NO_SPACE,
                    ErrorKind.TOO_MANY_REQUESTS,
                    ErrorKind.KEY_NOT_FOUND,
                    ErrorKind.REQUEST_TOO_LARGE);

    private final StoredState stored;
    private final KeyCoder coder;
    private final List<SimulatedRequest> requests;
    private final Map<Long, RevisionEvents> published = new HashMap<>();
    private final Map<Long, List<LogEvent>> log;
    private final Map<Long, SimulatedRequest> committed = new HashMap<>();
    private final Model model = new Model();

    HistoryCheck(
            StoredState stored,
            KeyCoder coder,
            List<SimulatedRequest> requests,
            List<RevisionEvents> events) {
        this.stored = stored;
        this.coder = coder;
        this.requests = requests;
        for (RevisionEvents revision : events) {
            assertThat(published.put(revision.revision(), revision))
                    .as("revision %d published twice", revision.revision())
                    .isNull();
        }
        log = stored.log.stream().collect(Collectors.groupingBy(LogEvent::revision));
    }

    void check() {
        findCommitted();
        checkReadsAt(1);
        for (long revision = 2; revision <= stored.fence.revision(); revision++) {
            checkRevision(revision);
            checkReadsAt(revision);
        }
        checkEnds();
        checkRecords();
    }

    /** The first put of a revision names its request. */
    private void findCommitted() {
        for (long revision = 2; revision <= stored.fence.revision(); revision++) {
            assertThat(log).as("the log has no hole").containsKey(revision);
            LogEvent first = log.get(revision).get(0);
            Bytes record = first.inline();
            if (record == null) {
                record = stored.keys.get(first.key()).versions.get(revision).encode();
            }
            KeyValue named = KeyValue.decode(VersionRecord.decode(record).kv());
            SimulatedRequest request = requests.get(SimulatedRequest.idOf(named));
            assertThat(committed.put(revision, request)).isNull();
        }
        assertThat(log).hasSize((int) stored.fence.revision() - 1);
        assertThat(committed.values()).as("a request committed twice").doesNotHaveDuplicates();
        assertThat(stored.log)
                .as("the log is in order")
                .isSortedAccordingTo(
                        (a, b) ->
                                a.revision() == b.revision()
                                        ? Integer.compare(a.sub(), b.sub())
                                        : Long.compare(a.revision(), b.revision()));
    }

    private void checkRevision(long revision) {
        SimulatedRequest request = committed.get(revision);
        SimulatedRequest.Seen expected = request.run(model);
        Model.Revision done = model.commit();
        assertThat(log.get(revision)).isEqualTo(done.log());
        if (request.answer.isDone() && WriteSimulation.errorOf(request) == null) {
            assertThat(request.answer.join()).isEqualTo(expected);
            assertThat(published).as("an answered revision is published").containsKey(revision);
        }
        if (published.containsKey(revision) && !published.get(revision).inLogOnly()) {
            assertThat(published.get(revision).events())
                    .usingElementComparator((a, b) -> show(a).compareTo(show(b)))
                    .isEqualTo(done.events());
        }
    }

    private void checkReadsAt(long revision) {
        for (SimulatedRequest request : requests) {
            if (!request.writes()
                    && request.answer.isDone()
                    && WriteSimulation.errorOf(request) == null
                    && request.answer.join().revision() == revision
                    && !sawSmallRecords(request)) {
                assertThat(request.answer.join()).isEqualTo(request.run(model));
                assertThat(revision).isGreaterThanOrEqualTo(request.knownBefore);
            }
        }
    }

    /** Metadata records also change between revisions; writes that read them are checked. */
    private static boolean sawSmallRecords(SimulatedRequest request) {
        return request.answer.join().observations().stream()
                .anyMatch(observation -> observation.startsWith("record"));
    }

    private void checkEnds() {
        Set<SimulatedRequest> done = Set.copyOf(committed.values());
        for (SimulatedRequest request : requests) {
            if (!request.answer.isDone()) {
                continue;
            }
            ErrorKind error = WriteSimulation.errorOf(request);
            if (error == null) {
                assertThat(done.contains(request)).isEqualTo(request.writes());
                assertThat(request.refuses()).isFalse();
            } else if (NOT_DONE.contains(error)) {
                assertThat(done).as("failed for sure with " + error).doesNotContain(request);
            }
        }
    }

    private void checkRecords() {
        assertThat(stored.bytes).as("account of stored bytes").isEqualTo(stored.fence.bytes());
        Map<Bytes, KeyValue> live = new HashMap<>();
        stored.keys.forEach(
                (key, records) -> {
                    assertThat(records.head).isEqualTo(model.newest().get(key));
                    records.versions.forEach(
                            (revision, version) ->
                                    assertThat(version.revision()).isEqualTo(revision));
                    if (records.head != null && !records.head.isTombstone()) {
                        live.put(key, KeyValue.decode(records.head.kv()));
                    }
                });
        assertThat(live).isEqualTo(model.live());
        assertThat(stored.small).isEqualTo(model.small());
        assertThat(stored.attachments)
                .containsExactlyInAnyOrderElementsOf(
                        live.entrySet().stream()
                                .filter(entry -> entry.getValue().lease() != 0)
                                .map(
                                        entry ->
                                                coder.attachments()
                                                        .key(
                                                                entry.getValue().lease(),
                                                                entry.getKey()))
                                .toList());
    }

    private static String show(WatchEvent event) {
        return event.revision()
                + (event.isDelete() ? " delete " : " put ")
                + event.key()
                + " "
                + event.kv()
                + " was "
                + event.prevKv();
    }
}
