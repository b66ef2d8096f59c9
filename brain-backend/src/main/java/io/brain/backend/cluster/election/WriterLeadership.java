package io.brain.backend.cluster.election;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Futures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.write.Sequencer;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The leadership as its sequencer sees it. Sequencer thread only. */
final class WriterLeadership implements Sequencer.Leadership {
    private static final Logger LOG = LoggerFactory.getLogger(WriterLeadership.class);

    /** Time until the alarm is raised again if it was not stored. */
    private static final Duration ALARM_PAUSE = Duration.ofSeconds(1);

    private final LeaderLease lease;
    private final Alarms alarms;
    private final Alarm noSpace;
    private final TermLeases.Submitter sequencer;
    private final BackendRuntime runtime;
    private final BiConsumer<ErrorKind, Throwable> onLost;

    /** True for a pause after the alarm was raised for lack of space. */
    private boolean raised;

    private boolean needsBatch;

    /**
     * The leadership of a member.
     *
     * @param onLost see {@link Sequencer.Leadership#lost}
     */
    WriterLeadership(
            LeaderLease lease,
            Alarms alarms,
            long memberId,
            TermLeases.Submitter sequencer,
            BackendRuntime runtime,
            BiConsumer<ErrorKind, Throwable> onLost) {
        this.lease = lease;
        this.alarms = alarms;
        this.noSpace = new Alarm(memberId, Alarm.NO_SPACE);
        this.sequencer = sequencer;
        this.runtime = runtime;
        this.onLost = onLost;
    }

    /** Whether the next answer must wait for a batch. */
    void requireBatch(boolean needed) {
        needsBatch = needed;
    }

    @Override
    public boolean isSure() {
        boolean sure = !needsBatch && lease.isSure();
        needsBatch = false;
        return sure;
    }

    @Override
    public void lost(ErrorKind why, Throwable cause) {
        onLost.accept(why, cause);
    }

    @Override
    public void outOfSpace() {
        if (raised || alarms.raised().has(Alarm.NO_SPACE)) {
            return;
        }
        raised = true;
        Futures.onEnd(
                sequencer.submit(alarms.raise(noSpace), Tenant.SERVER),
                (fresh, failure) -> LOG.error("storage is full, raising alarm NOSPACE", failure));
        runtime.scheduler().schedule(ALARM_PAUSE, runtime.sequencer(), () -> raised = false);
    }
}
