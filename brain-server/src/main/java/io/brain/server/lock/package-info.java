/**
 * etcd's services v3lockpb.Lock and v3electionpb.Election. Locks and elections are ordinary keys:
 * each contender puts {@code <name>/<lease in hex>} with its lease, and the oldest key of the
 * prefix owns. An {@link io.brain.server.lock.Acquisition} is a contender; it watches only the key
 * before its own, so the end of an owner wakes one contender.
 *
 * <p>Nothing runs on a thread of its own: a request continues on the thread that completes the
 * backend's answer, or on the watch hub's thread, always in its gRPC context.
 */
package io.brain.server.lock;
