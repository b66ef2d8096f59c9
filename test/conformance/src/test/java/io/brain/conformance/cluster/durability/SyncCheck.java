package io.brain.conformance.cluster.durability;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Proves from a server's system calls that acknowledged means synced: for every put, the very bytes
 * of its value were written to a file, that file was then synced with success, and only after that
 * did the answer's first byte go to a client's socket.
 */
final class SyncCheck {

    /** What a value must contain, with another number in every put. */
    static final Pattern MARKER = Pattern.compile("<sync-proof-\\d{9}>");

    private final List<SystemCall> calls;
    private final Map<String, List<Written>> writtenByMarker = new LinkedHashMap<>();

    /**
     * @param calls in order of time
     * @param dataDirectory only files below it count
     */
    SyncCheck(List<SystemCall> calls, String dataDirectory) {
        this.calls = calls;
        Map<String, String> tails = new LinkedHashMap<>();
        for (SystemCall call : calls) {
            if (call.target().startsWith(dataDirectory) && !call.bytes().isEmpty()) {
                // A marker may begin in one call and end in the next.
                String text = tails.getOrDefault(call.target(), "") + call.bytes();
                Matcher m = MARKER.matcher(text);
                while (m.find()) {
                    writtenByMarker
                            .computeIfAbsent(m.group(), marker -> new ArrayList<>())
                            .add(new Written(call.target(), call.endNanos()));
                }
                tails.put(call.target(), text.substring(Math.max(0, text.length() - 20)));
            }
        }
    }

    static String marker(int number) {
        return String.format("<sync-proof-%09d>", number);
    }

    /**
     * Checks every put.
     *
     * @param markerByRevision the marker in the value of each acknowledged put
     * @param port the server's client port
     */
    SyncReport check(Map<Long, String> markerByRevision, int port) {
        Map<Long, Long> answers = AnswerTimes.byRevision(calls, port);
        List<String> failures = new ArrayList<>();
        markerByRevision.forEach(
                (revision, marker) -> {
                    String failure = failure(marker, answers.get(revision));
                    if (!failure.isEmpty()) {
                        failures.add("revision " + revision + " " + marker + ": " + failure);
                    }
                });
        long syncs = calls.stream().filter(call -> call.isSync() && call.result() == 0).count();
        return new SyncReport(markerByRevision.size(), syncs, failures);
    }

    private String failure(String marker, Long answered) {
        if (answered == null) {
            return "its answer is not in the trace";
        }
        List<Written> writes = writtenByMarker.getOrDefault(marker, List.of());
        if (writes.isEmpty()) {
            return "its value was written to no file";
        }
        OptionalLong synced =
                writes.stream().flatMap(w -> syncEndsAfter(w).stream()).mapToLong(n -> n).min();
        if (synced.isEmpty()) {
            return "no file that holds its value was synced";
        }
        long late = synced.getAsLong() - answered;
        return late > 0 ? "its answer left " + late / 1_000 + " us before the sync" : "";
    }

    /** The end of the first successful sync of the file that began after the write had returned. */
    private List<Long> syncEndsAfter(Written write) {
        return calls.stream()
                .filter(call -> call.isSync() && call.result() == 0)
                .filter(call -> call.target().equals(write.path()))
                .filter(call -> call.startNanos() >= write.endNanos())
                .map(SystemCall::endNanos)
                .limit(1)
                .toList();
    }

    private record Written(String path, long endNanos) {}
}
