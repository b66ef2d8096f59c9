/**
 * Watches. A transport opens a {@link io.brain.backend.watch.WatchStream} of the {@link
 * io.brain.backend.watch.WatchHub} and receives responses as its {@link
 * io.brain.backend.watch.WatchSink}. One thread, the hub's, owns all watchers. It finds commits in
 * the {@link io.brain.backend.cache.EventRing}, which gets each revision before it is committed.
 *
 * <p>A watcher is a next revision and a state; {@code WatcherGroups} moves it from state to state:
 *
 * <pre>
 *               caught up              not in the ring          reader free
 *   SYNCED  &lt;-------------  RING  -----------------&gt;  LOG  -----------------&gt;  READING
 *     |                     ^  ^                                                  |
 *     +---------------------+  +--------------------------------------------------+
 *      transport full, no room,             sent (or dropped: no room)
 *      or not in the ring
 * </pre>
 *
 * <ul>
 *   <li>SYNCED: {@code RingFeed} finds the watchers of each new revision in {@code WatcherIndex}
 *       and sends each one response.
 *   <li>RING: {@code RingFeed} sends older events when the stream's transport is ready. A watcher
 *       that was synced before still gets one response per revision; one that was created in the
 *       past gets up to 1000 revisions in one, as in etcd.
 *   <li>LOG and READING: {@code LogFeed} has {@code CommitLogReader} read the commit log on other
 *       threads, for groups of watchers from {@code CatchUpQueue}.
 *   <li>COMPACTED: the next revision is below the compact revision; the id stays in use until the
 *       client cancels.
 * </ul>
 *
 * <p>RING, LOG and READING are etcd's unsynced.
 *
 * <p>{@code ServerWatchStream} is the request side of a stream, {@code StreamOutput} the response
 * side, on which a failure ends that stream only. {@code EventSender} bounds the bytes that
 * transports hold because clients have not read them; a stream without room is fed later, in order.
 * Each class knows only those after it: hub, stream, feeds, groups and sender, watcher, output.
 *
 * <p>Events are never queued per watcher: what a transport does not take stays in the ring or the
 * log. Only compaction, or the end of its stream, ends a watcher that its client has not cancelled.
 */
package io.brain.backend.watch;
