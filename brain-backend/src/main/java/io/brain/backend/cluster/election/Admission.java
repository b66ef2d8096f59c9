package io.brain.backend.cluster.election;

import io.brain.backend.model.Futures;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.Store;
import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a process becomes its member: it puts the cluster down if it is the first, and claims the
 * member's record, for which it waits if another process may still serve as that member. The
 * leader's record is looked at meanwhile, so that both leases are waited for at once. Belongs to
 * the elector's thread.
 */
final class Admission {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    private final Membership membership;
    private final Store store;
    private final BackendRuntime runtime;
    private final ElectionSettings settings;
    private final boolean alone;

    /**
     * An admission that can be run.
     *
     * @param alone no other process can have the store open
     */
    Admission(
            Membership membership,
            Store store,
            BackendRuntime runtime,
            ElectionSettings settings,
            boolean alone) {
        this.membership = membership;
        this.store = store;
        this.runtime = runtime;
        this.settings = settings;
        this.alone = alone;
    }

    /**
     * What a process that was admitted goes on with.
     *
     * @param instance its claim to be the member
     * @param sighting what was seen of the leader's record
     */
    record Admitted(IdentityRecord identity, InstanceLease instance, LeaderObservation sighting) {}

    /**
     * Tries once. Fails with LEADER_CHANGED if another process did something at the same time (try
     * again), or with a {@link StorageException}, of kind REFUSED if another process that runs is
     * this member.
     *
     * @param unwanted true if the node has been closed
     */
    CompletableFuture<Admitted> run(BooleanSupplier unwanted) {
        return CompletableFuture.completedFuture(null)
                .thenCompose(begun -> membership.join())
                .thenComposeAsync(self -> claim(self, unwanted), runtime.elector());
    }

    private CompletableFuture<Admitted> claim(IdentityRecord self, BooleanSupplier unwanted) {
        long id = self.memberId();
        InstanceLease instance = new InstanceLease(membership, runtime, settings, id, alone);
        LeaderObservation sighting = new LeaderObservation(store, runtime, id, instance, alone);
        Admitted admitted = new Admitted(self, instance, sighting);
        CompletableFuture<Admitted> done = new CompletableFuture<>();
        if (alone) {
            done.complete(admitted);
        } else {
            new Claim(admitted, unwanted, done).attempt();
        }
        return done;
    }

    /** The wait for the member's record. */
    private final class Claim {
        private final Admitted admitted;
        private final InstanceLease instance;
        private final BooleanSupplier unwanted;
        private final CompletableFuture<Admitted> done;
        private boolean waits;

        Claim(Admitted admitted, BooleanSupplier unwanted, CompletableFuture<Admitted> done) {
            this.admitted = admitted;
            this.instance = admitted.instance();
            this.unwanted = unwanted;
            this.done = done;
        }

        void attempt() {
            if (unwanted.getAsBoolean()) {
                return;
            }
            try {
                admitted.sighting().look();
            } catch (RuntimeException failure) {
                done.completeExceptionally(failure);
                return;
            }
            StorageException refusal = instance.refusal();
            if (refusal != null) {
                done.completeExceptionally(refusal);
            } else if (instance.isFree()) {
                Futures.onEnd(instance.claim(), (claimed, failure) -> end(failure));
            } else {
                await();
            }
        }

        private void end(Throwable failure) {
            if (failure == null) {
                done.complete(admitted);
            } else {
                done.completeExceptionally(failure);
            }
        }

        private void await() {
            if (!waits) {
                waits = true;
                LOG.info("waiting for another process of this member: {}", instance.other());
            }
            Duration wait = instance.untilFree();
            Duration pause = settings.interval();
            runtime.scheduler()
                    .schedule(
                            wait.compareTo(pause) < 0 ? wait : pause,
                            runtime.elector(),
                            this::attempt);
        }
    }
}
