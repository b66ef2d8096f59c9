package io.brain.storage.tikv;

import java.time.Duration;

/**
 * How long superseded versions are kept, and by whom.
 *
 * @param moves whether this process may move PD's safe point
 * @param interval between two reports to PD
 * @param lifeTime how long what was superseded stays readable at least; the same for all who move
 *     PD's safe point
 */
record GcSettings(boolean moves, Duration interval, Duration lifeTime) {}
