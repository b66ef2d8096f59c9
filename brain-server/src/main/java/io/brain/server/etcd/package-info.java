/**
 * etcd's gRPC services on the backend: what a request means, what its answer looks like, which
 * words an error has. Handlers run on the transport's threads and never block.
 */
package io.brain.server.etcd;
