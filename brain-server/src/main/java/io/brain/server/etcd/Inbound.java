package io.brain.server.etcd;

import io.grpc.Status;

/**
 * A message as it came.
 *
 * @param message what it says; null if it is refused
 * @param bytes its length on the wire
 * @param refused why it cannot be used; null if it can
 */
record Inbound<Q>(Q message, int bytes, Status refused) {}
