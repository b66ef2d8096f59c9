package io.brain.conformance.fanout;

import java.util.List;

/**
 * One run, from the first put until the last watcher has got its last event.
 *
 * @param nodes how many served watchers
 * @param events how many watchers were sent, all together
 * @param leaderMicros the leader's CPU time, user and system
 * @param allMicros that of all three servers
 * @param putMillis how long each put took, counted from when it was due
 */
record Run(int nodes, long events, long leaderMicros, long allMicros, List<Double> putMillis) {}
