package io.brain.bench.shape;

import java.time.Duration;

/**
 * Settings of all stretches.
 *
 * @param warmUp time before the measurement
 * @param measured measured time
 * @param rate operations per second of unary loads; 0 for closed loops
 * @param backgroundRate puts per second during some loads; 0 for none
 * @param connections maximum number of connections of the clients
 * @param valueBytes size of values
 * @param lean whether to use the handwritten client instead of grpc-java's
 */
public record Settings(
        Duration warmUp,
        Duration measured,
        double rate,
        double backgroundRate,
        int connections,
        int valueBytes,
        boolean lean) {}
