package io.brain.backend.key;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.util.EnumSet;
import java.util.Set;

/**
 * The alarms that are raised, each named by the error that it makes requests end with: NO_SPACE and
 * CORRUPT. Stored only while there are any.
 */
public record AlarmRecord(Set<ErrorKind> raised) {
    private static final int NO_SPACE = 1;
    private static final int CORRUPT = 2;

    /** Copies the set. */
    public AlarmRecord {
        raised = Set.copyOf(raised);
    }

    /** The stored form: one byte, 1 for NO_SPACE, 2 for CORRUPT, 3 for both. */
    public Bytes encode() {
        int flags =
                (raised.contains(ErrorKind.NO_SPACE) ? NO_SPACE : 0)
                        | (raised.contains(ErrorKind.CORRUPT) ? CORRUPT : 0);
        return new ByteWriter(1).putByte(flags).finish();
    }

    /**
     * Reads the stored form.
     *
     * @param stored null: none is raised
     */
    public static AlarmRecord decode(Bytes stored) {
        EnumSet<ErrorKind> raised = EnumSet.noneOf(ErrorKind.class);
        int flags = stored == null ? 0 : new ByteReader(stored, 0).getByte();
        if ((flags & NO_SPACE) != 0) {
            raised.add(ErrorKind.NO_SPACE);
        }
        if ((flags & CORRUPT) != 0) {
            raised.add(ErrorKind.CORRUPT);
        }
        return new AlarmRecord(raised);
    }
}
