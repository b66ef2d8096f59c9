/**
 * Watches: the ring of recent events, the commit log behind it, the index of watchers, and the hub
 * that brings the three together on one thread.
 *
 * <p>The {@link io.brain.backend.cache.EventRing} gets every revision before it is committed, which
 * wakes the {@link io.brain.backend.watch.WatchHub}. A transport opens a {@link
 * io.brain.backend.watch.WatchStream} and answers as its {@link io.brain.backend.watch.WatchSink}.
 *
 * <p>A watcher is a next-revision number and a state:
 *
 * <pre>
 *             caught up                  left the ring               a reader is free
 *   live  <--------------  lagging  ------------------->  waiting  -------------------> reading
 *     |                     ^   ^                                                         |
 *     +---------------------+   +---------------------------------------------------------+
 *      transport full,                      read (or dropped: no room)
 *      or in the log only
 * </pre>
 *
 * <ul>
 *   <li>Live ({@code LiveFeed}): each new revision is matched by {@code WatcherIndex} and sent, one
 *       response per revision.
 *   <li>Lagging ({@code RingFeed}): fed from the ring whenever its stream's transport is ready. One
 *       that was live still gets one response per revision; one that was created in the past gets
 *       up to 1000 revisions in one, as in etcd.
 *   <li>Waiting and reading ({@code LogFeed}): {@code CommitLogReader} reads for whole groups of
 *       watchers in the background.
 * </ul>
 *
 * <p>Bytes that were handed to transports and not read yet are bounded over all streams ({@code
 * SendBudget}); a stream that finds no room is fed later, in the order of asking.
 *
 * <p>There is no queue of events anywhere: what a transport does not take stays in the ring or the
 * log, and the watcher's number stays where it is. A watcher ends without being asked to only when
 * compaction passes that number, or with its stream.
 */
package io.brain.backend.watch;
