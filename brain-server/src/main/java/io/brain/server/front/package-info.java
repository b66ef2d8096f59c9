/** Listeners: gRPC and HTTP/1 on one port, told apart by a connection's first bytes. */
package io.brain.server.front;
