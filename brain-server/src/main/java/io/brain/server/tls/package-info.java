/** TLS, for clients and between nodes: certificates in files, read again when they change. */
package io.brain.server.tls;
