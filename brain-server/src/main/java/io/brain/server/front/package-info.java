/** Listeners: gRPC and HTTP/1 on one port, detected by the first bytes of a connection. */
package io.brain.server.front;
