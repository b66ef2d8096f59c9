package io.brain.backend.model;

import java.util.Comparator;

/**
 * An alarm, as in etcd. Its effect does not depend on the member.
 *
 * @param memberId any; 0 if a client named none
 * @param kind etcd's number: {@link #NO_SPACE}, {@link #CORRUPT}, or another one, which has no
 *     effect
 */
public record Alarm(long memberId, int kind) implements Comparable<Alarm> {
    /** Refuses requests that need space. */
    public static final int NO_SPACE = 1;

    /** Refuses all writes. */
    public static final int CORRUPT = 2;

    private static final Comparator<Alarm> ORDER =
            Comparator.comparingInt(Alarm::kind)
                    .thenComparing(Alarm::memberId, Long::compareUnsigned);

    /** True if etcd has a name for the kind. */
    public boolean isKnown() {
        return kind == NO_SPACE || kind == CORRUPT;
    }

    /** etcd's name of the kind; the number if unknown. */
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
