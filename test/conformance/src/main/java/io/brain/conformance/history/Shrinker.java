package io.brain.conformance.history;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;

/** Cuts a failing history down: first whole requests, then what is in them. */
final class Shrinker {

    private final Check check;
    private final int attemptsMax;
    private int attempts;

    /** Plays a history; true if it still fails. */
    @FunctionalInterface
    interface Check {
        boolean fails(List<Message> history) throws Exception;
    }

    /**
     * @param attemptsMax how many histories are played at most
     */
    Shrinker(Check check, int attemptsMax) {
        this.check = check;
        this.attemptsMax = attemptsMax;
    }

    /** The smallest failing history that was found; the given one must fail. */
    List<Message> shrink(List<Message> failing) throws Exception {
        List<Message> smallest = withoutChunks(failing);
        for (int i = 0; i < smallest.size(); i++) {
            smallest = withSimplerStep(smallest, i);
        }
        return smallest;
    }

    /** Takes out ever smaller chunks, as long as something can go. */
    private List<Message> withoutChunks(List<Message> failing) throws Exception {
        List<Message> smallest = failing;
        int chunk = Math.max(1, smallest.size() / 2);
        while (true) {
            boolean removed = false;
            for (int from = 0; from < smallest.size(); ) {
                int to = Math.min(from + chunk, smallest.size());
                List<Message> candidate = new ArrayList<>(smallest.subList(0, from));
                candidate.addAll(smallest.subList(to, smallest.size()));
                if (fails(candidate)) {
                    smallest = candidate;
                    removed = true;
                } else {
                    from = to;
                }
            }
            if (chunk == 1 && !removed) {
                return smallest;
            }
            chunk = Math.max(1, chunk / 2);
            if (attempts >= attemptsMax) {
                return smallest;
            }
        }
    }

    private List<Message> withSimplerStep(List<Message> failing, int index) throws Exception {
        List<Message> smallest = failing;
        boolean simpler = true;
        while (simpler) {
            simpler = false;
            for (Message step : simpler(smallest.get(index))) {
                List<Message> candidate = new ArrayList<>(smallest);
                candidate.set(index, step);
                if (fails(candidate)) {
                    smallest = candidate;
                    simpler = true;
                    break;
                }
            }
        }
        return smallest;
    }

    private boolean fails(List<Message> candidate) throws Exception {
        if (candidate.isEmpty() || attempts >= attemptsMax) {
            return false;
        }
        attempts++;
        return check.fails(candidate);
    }

    /** The message with one field, one element, or one field of an inner message less. */
    private static List<Message> simpler(Message message) {
        List<Message> candidates = new ArrayList<>();
        for (FieldDescriptor field : message.getAllFields().keySet()) {
            candidates.add(message.toBuilder().clearField(field).build());
            if (field.isRepeated()) {
                int count = message.getRepeatedFieldCount(field);
                for (int i = 0; i < count; i++) {
                    candidates.add(without(message, field, i));
                    if (message.getRepeatedField(field, i) instanceof Message inner) {
                        int at = i;
                        simpler(inner)
                                .forEach(
                                        s ->
                                                candidates.add(
                                                        message.toBuilder()
                                                                .setRepeatedField(field, at, s)
                                                                .build()));
                    }
                }
            } else if (message.getField(field) instanceof Message inner) {
                simpler(inner)
                        .forEach(
                                s ->
                                        candidates.add(
                                                message.toBuilder().setField(field, s).build()));
            }
        }
        return candidates;
    }

    private static Message without(Message message, FieldDescriptor field, int index) {
        List<Object> elements = new ArrayList<>((List<?>) message.getField(field));
        elements.remove(index);
        return message.toBuilder().setField(field, elements).build();
    }
}
