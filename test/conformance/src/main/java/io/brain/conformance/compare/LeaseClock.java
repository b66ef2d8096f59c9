package io.brain.conformance.compare;

import com.google.protobuf.Message;
import io.brain.proto.etcd.LeaseGrantResponse;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Knows when each lease had its whole time for the last time, and so what may be left of it. Two
 * servers are asked at two moments, and either may have been slow: a remaining time that is right
 * is shown as the whole time, any other as it is. Thread-safe.
 */
final class LeaseClock {

    /** What is left is told in whole seconds, rounded down. */
    private static final long ROUNDED_SECONDS = 1;

    private final Map<Long, Renewal> renewals = new HashMap<>();

    /** The server renewed the lease at some time between the two, by {@link System#nanoTime}. */
    private record Renewal(long asked, long answered) {}

    /** Forgets everything: after a restart it is not known when leases were renewed. */
    synchronized void forget() {
        renewals.clear();
    }

    /**
     * Takes an answer in.
     *
     * @param asked when it was asked for
     * @param answered when it came
     * @return the answer, with the whole time in place of a remaining time that is right
     */
    synchronized Message seen(Message answer, long asked, long answered) {
        if (answer instanceof LeaseGrantResponse granted) {
            renewals.put(granted.getID(), new Renewal(asked, answered));
        } else if (answer instanceof LeaseKeepAliveResponse renewed && renewed.getTTL() > 0) {
            renewals.put(renewed.getID(), new Renewal(asked, answered));
        } else if (answer instanceof LeaseTimeToLiveResponse left && left.getTTL() > 0) {
            Renewal renewal = renewals.get(left.getID());
            long gone = left.getGrantedTTL() - left.getTTL();
            if (renewal != null
                    && gone <= seconds(answered - renewal.asked()) + 1 + ROUNDED_SECONDS
                    && gone >= seconds(asked - renewal.answered())) {
                return left.toBuilder().setTTL(left.getGrantedTTL()).build();
            }
        }
        return answer;
    }

    private static long seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos);
    }
}
