package io.brain.storage.tikv;

import java.time.Duration;

/**
 * Retention of superseded versions.
 *
 * @param moves whether this process advances PD's safe point
 * @param interval of reports to PD
 * @param lifeTime minimum time for which superseded versions stay readable; equal for all services
 *     that advance PD's safe point
 */
record GcSettings(boolean moves, Duration interval, Duration lifeTime) {}
