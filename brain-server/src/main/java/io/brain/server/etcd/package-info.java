/**
 * etcd's gRPC services: translation of requests for the backend, and responses. Handlers run on
 * transport threads and do not block.
 */
package io.brain.server.etcd;
