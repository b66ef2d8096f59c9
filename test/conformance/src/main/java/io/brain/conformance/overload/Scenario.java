package io.brain.conformance.overload;

import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * One kind of overload.
 *
 * @param name for the table
 * @param before fills the server, untimed
 * @param load overloads it, and returns when it is over
 */
record Scenario(String name, Step before, Step load) {

    /** A part of a scenario. */
    interface Step {
        /**
         * Does its part.
         *
         * @throws TimeoutException when the server does not get done with it
         */
        void on(Target target) throws InterruptedException, TimeoutException;
    }

    static List<Scenario> all() {
        return List.of(
                new Scenario("nothing", target -> {}, target -> Thread.sleep(5_000)),
                Reads.lists(),
                Watches.many(),
                Watches.nonReading(),
                Watches.behind(),
                Writes.leases(),
                Writes.rangeDelete());
    }
}
