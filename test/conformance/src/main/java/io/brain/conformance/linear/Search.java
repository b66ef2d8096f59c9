package io.brain.conformance.linear;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Looks for an order of concurrent calls that a sequential object explains: the search of Wing and
 * Gong with Lowe's memory of what was tried. A call without an answer may come anywhere after its
 * start, or never. The time is exponential in the number of concurrent calls: for small histories.
 *
 * @param <S> the object's state, with equals and hashCode
 * @param <C> calls with their answers
 */
public final class Search<S, C> {

    /** A sequential object. */
    public interface Model<S, C> {

        /** The state before any call. */
        S initial();

        /** The state after the call; empty if its answer is impossible in this state. */
        Optional<S> step(S state, C call);
    }

    /**
     * A call and when it was under way.
     *
     * @param end {@link Long#MAX_VALUE} for a call that was not answered
     */
    public record Timed<C>(C call, long start, long end) {}

    /** What the search found. */
    public enum Verdict {
        LINEARIZABLE,
        NOT_LINEARIZABLE,
        /** There was no time to find out. */
        UNDECIDED
    }

    /** An end of a call in the list of all ends, in the order of time. */
    private static final class Entry<C> {
        private final int id;
        private final Timed<C> call;
        private Entry<C> answer;
        private Entry<C> previous;
        private Entry<C> next;

        private Entry(int id, Timed<C> call) {
            this.id = id;
            this.call = call;
        }
    }

    private record Tried<S>(BitSet done, S state) {}

    private record Step<S, C>(Entry<C> call, S before) {}

    private final Model<S, C> model;
    private final Entry<C> head = new Entry<>(-1, null);
    private final Set<Tried<S>> tried = new HashSet<>();
    private final Deque<Step<S, C>> taken = new ArrayDeque<>();
    private final BitSet done = new BitSet();
    private int answersLeft;

    private Search(Model<S, C> model, List<Timed<C>> calls) {
        this.model = model;
        link(calls);
    }

    /** Searches for at most this long. */
    public static <S, C> Verdict check(Model<S, C> model, List<Timed<C>> calls, Duration max) {
        return new Search<>(model, calls).run(System.nanoTime() + max.toNanos());
    }

    private void link(List<Timed<C>> calls) {
        record At<C>(long time, boolean isAnswer, Entry<C> entry) {}
        List<At<C>> ends = new ArrayList<>();
        for (int id = 0; id < calls.size(); id++) {
            Timed<C> call = calls.get(id);
            Entry<C> start = new Entry<>(id, call);
            ends.add(new At<>(call.start(), false, start));
            if (call.end() < Long.MAX_VALUE) {
                start.answer = new Entry<>(-1, call);
                ends.add(new At<>(call.end(), true, start.answer));
                answersLeft++;
            }
        }
        // At the same moment starts come first: then both orders are possible.
        ends.sort(Comparator.<At<C>>comparingLong(At::time).thenComparing(At::isAnswer));
        Entry<C> last = head;
        for (At<C> end : ends) {
            last.next = end.entry();
            end.entry().previous = last;
            last = end.entry();
        }
    }

    private Verdict run(long deadline) {
        S state = model.initial();
        Entry<C> entry = head.next;
        int steps = 0;
        while (answersLeft > 0) {
            if (++steps % 1024 == 0 && System.nanoTime() > deadline) {
                return Verdict.UNDECIDED;
            }
            boolean isCall = entry != null && entry.id >= 0;
            Optional<S> after = isCall ? model.step(state, entry.call.call()) : Optional.empty();
            if (after.isPresent() && isNew(entry, after.get())) {
                taken.push(new Step<>(entry, state));
                state = after.get();
                take(entry);
                entry = head.next;
            } else if (isCall) {
                entry = entry.next;
            } else if (taken.isEmpty()) {
                return Verdict.NOT_LINEARIZABLE;
            } else {
                Step<S, C> last = taken.pop();
                state = last.before();
                giveBack(last.call());
                entry = last.call().next;
            }
        }
        return Verdict.LINEARIZABLE;
    }

    private boolean isNew(Entry<C> call, S after) {
        BitSet with = (BitSet) done.clone();
        with.set(call.id);
        return tried.add(new Tried<>(with, after));
    }

    private void take(Entry<C> call) {
        done.set(call.id);
        unlink(call);
        if (call.answer != null) {
            unlink(call.answer);
            answersLeft--;
        }
    }

    private void giveBack(Entry<C> call) {
        done.clear(call.id);
        if (call.answer != null) {
            relink(call.answer);
            answersLeft++;
        }
        relink(call);
    }

    private static <C> void unlink(Entry<C> entry) {
        entry.previous.next = entry.next;
        if (entry.next != null) {
            entry.next.previous = entry.previous;
        }
    }

    private static <C> void relink(Entry<C> entry) {
        entry.previous.next = entry;
        if (entry.next != null) {
            entry.next.previous = entry;
        }
    }
}
