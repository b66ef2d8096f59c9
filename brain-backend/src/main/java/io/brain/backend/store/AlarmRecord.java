package io.brain.backend.store;

import io.brain.backend.model.Alarm;
import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** The alarms that are raised, in their order. Stored only while there are any. */
public record AlarmRecord(SortedSet<Alarm> raised) {
    private static final int LENGTH_EACH = Long.BYTES + Integer.BYTES;

    /** Copies the set. */
    public AlarmRecord {
        raised = Collections.unmodifiableSortedSet(new TreeSet<>(raised));
    }

    /** The stored form: member id (8 bytes) and kind (4 bytes) of each. */
    public Bytes encode() {
        ByteWriter out = new ByteWriter(raised.size() * LENGTH_EACH);
        for (Alarm alarm : raised) {
            out.putLong(alarm.memberId()).putInt(alarm.kind());
        }
        return out.finish();
    }

    /**
     * Reads the stored form.
     *
     * @param stored null: none is raised
     */
    public static AlarmRecord decode(Bytes stored) {
        TreeSet<Alarm> raised = new TreeSet<>();
        if (stored != null) {
            ByteReader in = new ByteReader(stored, 0);
            while (in.hasMore()) {
                raised.add(new Alarm(in.getLong(), in.getInt()));
            }
        }
        return new AlarmRecord(raised);
    }
}
