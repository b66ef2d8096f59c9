package io.brain.bench.shape;

import java.time.Duration;

/**
 * What all stretches have in common.
 *
 * @param warmUp of each stretch; it does not count
 * @param measured of each stretch; it counts
 * @param rate operations per second of unary loads; 0 for closed loops
 * @param backgroundRate puts per second beside some of the loads; 0 for none
 * @param connections for many clients; one client has one
 * @param valueBytes of objects that are written
 * @param lean true for the client that is cheaper than grpc-java's
 */
public record Settings(
        Duration warmUp,
        Duration measured,
        double rate,
        double backgroundRate,
        int connections,
        int valueBytes,
        boolean lean) {}
