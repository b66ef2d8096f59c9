/** The JSON gateway: HTTP requests under /v3/ become calls of the gRPC services. */
package io.brain.server.gateway;
