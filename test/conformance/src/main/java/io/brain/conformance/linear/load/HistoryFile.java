package io.brain.conformance.linear.load;

import com.google.protobuf.ByteString;
import io.brain.conformance.linear.EventLog;
import io.brain.conformance.linear.Operation;
import io.brain.conformance.linear.RevisionObservation;
import io.brain.conformance.linear.Violation;
import io.brain.proto.mvcc.Event;
import io.brain.proto.mvcc.KeyValue;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** A history as text, for people: the violations, then requests by their start, then the log. */
final class HistoryFile {

    private static final int VALUE_BYTES_MAX = 40;

    private HistoryFile() {}

    /** Writes it, compressed. */
    static void write(Path file, Recorder recorder, EventLog log, List<Violation> violations)
            throws IOException {
        try (PrintWriter out =
                new PrintWriter(
                        new OutputStreamWriter(
                                new GZIPOutputStream(Files.newOutputStream(file)),
                                StandardCharsets.UTF_8))) {
            violations.forEach(out::println);
            recorder.operations().stream()
                    .sorted(Comparator.comparingLong(Operation::start))
                    .forEach(out::println);
            for (RevisionObservation observation : recorder.observations()) {
                out.println("seen by a watcher at " + observation);
            }
            log.all()
                    .forEach(
                            (revision, events) -> {
                                for (Event event : events) {
                                    out.println("log " + revision + ": " + line(event));
                                }
                            });
        }
    }

    private static String text(KeyValue value) {
        ByteString bytes = value.getValue();
        return bytes.substring(0, Math.min(VALUE_BYTES_MAX, bytes.size())).toStringUtf8();
    }

    private static String line(Event event) {
        return event.getType()
                + " "
                + event.getKv().getKey().toStringUtf8()
                + " = "
                + text(event.getKv())
                + " (created "
                + event.getKv().getCreateRevision()
                + ", version "
                + event.getKv().getVersion()
                + "), was "
                + text(event.getPrevKv())
                + " of "
                + event.getPrevKv().getModRevision();
    }
}
