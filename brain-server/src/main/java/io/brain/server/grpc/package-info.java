/**
 * Calls on the server: their state, limits, metrics and traces, and the mapping of failures to gRPC
 * statuses. Knows the messages of no service.
 */
package io.brain.server.grpc;
