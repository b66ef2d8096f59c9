package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.EtcdClient;
import io.grpc.StatusRuntimeException;
import java.util.Optional;

/**
 * Compacts a stretch of history in small steps, so that a compaction is under way at most moments,
 * until the server is gone. Used by one thread; the account is read after that thread has ended.
 */
final class Compactor implements Runnable {

    private static final int STEPS = 30;
    private static final int PAUSE_MILLIS = 20;

    private final EtcdClient client;
    private final long last;
    private final long step;
    private long asked;
    private long acknowledged;
    private int compactions;
    private Optional<StatusRuntimeException> end = Optional.empty();

    /**
     * @param floor what is compacted already
     * @param last the floor to reach, at or above that
     */
    Compactor(String target, long floor, long last) {
        this.client = new EtcdClient(target);
        this.asked = floor;
        this.last = last;
        this.step = Math.max(1, (last - floor) / STEPS);
    }

    @Override
    public void run() {
        try (client) {
            while (true) {
                if (asked < last) {
                    asked = Math.min(last, asked + step);
                    client.compact(asked);
                    acknowledged = asked;
                    compactions++;
                } else {
                    var unused = client.revision();
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (StatusRuntimeException gone) {
            end = Optional.of(gone);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The floor asked for last: the server's floor is at most this. */
    long asked() {
        return asked;
    }

    /** The floor acknowledged last, 0 for none: the server's floor is at least this. */
    long acknowledged() {
        return acknowledged;
    }

    /** How many compactions were acknowledged. */
    int compactions() {
        return compactions;
    }

    /** What ended the run. */
    Optional<StatusRuntimeException> end() {
        return end;
    }
}
