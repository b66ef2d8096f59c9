/**
 * Watches. The {@link io.brain.backend.watch.WatchHub} owns all watchers, on one thread. The {@link
 * io.brain.backend.cache.EventRing} has each revision before it is published, which wakes the hub.
 * A transport opens a {@link io.brain.backend.watch.WatchStream} and implements {@link
 * io.brain.backend.watch.WatchSink}.
 *
 * <p>A watcher is a next revision and a state; {@code Watchers} changes the state:
 *
 * <pre>
 *             caught up              not in the ring              a reader is free
 *   SYNCED  <-----------  RING  ---------------------->  LOG  ----------------------> READING
 *     |                   ^  ^                                                          |
 *     +-------------------+  +----------------------------------------------------------+
 *      transport full, or     read, or not sent: transport full, or no room
 *      not in the ring
 * </pre>
 *
 * <ul>
 *   <li>SYNCED: {@code SyncedFeed} finds the watchers of each new revision in the {@code
 *       WatcherIndex} and sends one response per revision.
 *   <li>RING: {@code RingFeed} sends from the ring when the transport is ready; to a watcher that
 *       was synced before, one response per revision; to one that was created with a past revision,
 *       up to 1000 revisions in one response, as in etcd.
 *   <li>LOG and READING: {@code LogFeed} has {@code CommitLogReader} read for groups of watchers,
 *       on log reader threads.
 * </ul>
 *
 * <p>The {@code SendBudget} limits the bytes that transports hold for clients that have not read
 * them; streams without room wait in order.
 *
 * <p>Events are not queued: what a transport does not accept stays in the ring or the log, and the
 * watcher's next revision does not change. A watcher ends if the client cancels it, if compaction
 * passes its next revision, or with its stream.
 */
package io.brain.backend.watch;
