package io.brain.backend.model;

import java.util.Comparator;

/**
 * An alarm as etcd keeps it: of a kind, and of the member that a client or the server named. What a
 * kind stops, it stops whoever it is of.
 *
 * @param memberId any; 0 where a client named none
 * @param kind etcd's number: {@link #NO_SPACE}, {@link #CORRUPT}, or another one, which stops
 *     nothing
 */
public record Alarm(long memberId, int kind) implements Comparable<Alarm> {
    /** Stops what needs room. */
    public static final int NO_SPACE = 1;

    /** Stops every write. */
    public static final int CORRUPT = 2;

    private static final Comparator<Alarm> ORDER =
            Comparator.comparingInt(Alarm::kind)
                    .thenComparing(Alarm::memberId, Long::compareUnsigned);

    /** The kind in etcd's words; of an unknown kind its number. */
    public String kindName() {
        return switch (kind) {
            case NO_SPACE -> "NOSPACE";
            case CORRUPT -> "CORRUPT";
            default -> Integer.toString(kind);
        };
    }

    /** By kind, then by member. */
    @Override
    public int compareTo(Alarm other) {
        return ORDER.compare(this, other);
    }
}
