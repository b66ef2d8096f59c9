package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A transport that writes down what it is given, one line per response, and takes as many event
 * responses as the test lets it.
 */
final class RecordingSink implements WatchSink {
    private final List<String> lines = new ArrayList<>();
    private int room = Integer.MAX_VALUE;
    private int taken;
    private boolean overfull;
    private Throwable broken;

    /** Takes only this many further event responses before it is not ready any more. */
    void limit(int responses) {
        room = responses;
    }

    /** Takes events that were read from the log even if it is not ready. */
    void allowOverfull() {
        overfull = true;
    }

    /** Every further response, and the question whether it is ready, ends in this throwable. */
    void breakWith(Throwable cause) {
        broken = cause;
    }

    /** The responses since the last call. */
    List<String> take() {
        List<String> taken = List.copyOf(lines);
        lines.clear();
        return taken;
    }

    /** How many calls of the stream took effect. */
    int callsTaken() {
        return taken;
    }

    @Override
    public long takenBytes() {
        return 0;
    }

    @Override
    public boolean isReady() {
        throwIfBroken();
        return room > 0;
    }

    @Override
    public void created(long watchId, long revision) {
        line("created " + watchId + " @" + revision);
    }

    @Override
    public void refused(long revision, Refusal refusal) {
        line("refused " + refusal + " @" + revision);
    }

    @Override
    public void events(
            long watchId,
            long revision,
            List<WatchEvent> events,
            boolean prevKv,
            boolean fragment) {
        if (room <= 0 && !overfull) {
            throw new AssertionError("events for a transport that is not ready");
        }
        room--;
        line(
                "events "
                        + watchId
                        + " @"
                        + revision
                        + (fragment ? " fragment" : "")
                        + events.stream()
                                .map(event -> show(event, prevKv))
                                .collect(Collectors.joining(", ", ": ", "")));
    }

    @Override
    public void progress(long watchId, long revision) {
        line("progress " + watchId + " @" + revision);
    }

    @Override
    public void canceled(long watchId, long revision) {
        line("canceled " + watchId + " @" + revision);
    }

    @Override
    public void compacted(long watchId, long compactRevision) {
        line("compacted " + watchId + " below " + compactRevision);
    }

    @Override
    public void failed(BackendException cause) {
        lines.add("failed " + cause.kind());
    }

    @Override
    public void stalled() {
        line("stalled");
    }

    @Override
    public void taken() {
        taken++;
    }

    private void line(String line) {
        throwIfBroken();
        lines.add(line);
    }

    private void throwIfBroken() {
        if (broken instanceof Error error) {
            throw error;
        } else if (broken instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /** An event in one line: {@code PUT k=v#revision}, {@code DEL k#revision}, and what it was. */
    static String show(WatchEvent event, boolean prevKv) {
        KeyValue kv = KeyValue.decode(event.kv());
        String text = event.isDelete() ? "DEL " + kv.key() : "PUT " + kv.key() + "=" + kv.value();
        text += "#" + kv.modRevision();
        Bytes prev = prevKv ? event.prevKv() : null;
        return prev == null ? text : text + " was " + KeyValue.decode(prev).value();
    }
}
