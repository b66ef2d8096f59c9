package io.brain.backend.cluster.election;

import io.brain.backend.compact.CompactSettings;
import io.brain.backend.lease.LeaseSettings;
import io.brain.backend.write.WriteSettings;

/** Bounds of what lives for one term. */
public record TermSettings(WriteSettings write, LeaseSettings lease, CompactSettings compact) {
    /** What a server starts with. */
    public static final TermSettings DEFAULTS =
            new TermSettings(
                    WriteSettings.DEFAULTS, LeaseSettings.DEFAULTS, CompactSettings.DEFAULTS);

    /** The same with other bounds of the write path. */
    public TermSettings withWrite(WriteSettings other) {
        return new TermSettings(other, lease, compact);
    }

    /** The same with other limits of leases. */
    public TermSettings withLease(LeaseSettings other) {
        return new TermSettings(write, other, compact);
    }
}
