package io.brain.conformance.linear.load;

import io.brain.conformance.linear.Operation;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * The longest time without a successful write around faults, by the kind of fault. A gap belongs to
 * the last fault that began before the gap ended. Silences, in which nobody writes, do not count.
 */
final class WriteGaps {

    /** A time without clients, in nanoseconds. */
    record Silent(long start, long end) {

        private boolean covers(long from, long to) {
            return start <= from && to <= end;
        }
    }

    private WriteGaps() {}

    /**
     * Milliseconds from the end of one write to the end of the next, of all clients.
     *
     * @param faults in order
     */
    static Map<Fault, Double> of(
            List<Operation> operations, List<Nemesis.Injection> faults, List<Silent> silences) {
        TreeSet<Long> marks = new TreeSet<>();
        operations.stream().filter(Operation::hasWritten).forEach(o -> marks.add(o.end()));
        for (Silent silence : silences) {
            marks.add(silence.start());
            marks.add(silence.end());
        }
        Map<Fault, Double> gaps = new EnumMap<>(Fault.class);
        long from = marks.isEmpty() ? 0 : marks.first();
        int next = 0;
        for (long to : marks) {
            while (next < faults.size() && faults.get(next).start() <= to) {
                next++;
            }
            long start = from;
            if (next > 0 && silences.stream().noneMatch(s -> s.covers(start, to))) {
                double millis = (double) (to - start) / TimeUnit.MILLISECONDS.toNanos(1);
                gaps.merge(faults.get(next - 1).fault(), millis, Math::max);
            }
            from = to;
        }
        return gaps;
    }
}
