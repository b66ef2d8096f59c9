/** TLS for clients and peers, with certificate files that are reloaded when they change. */
package io.brain.server.tls;
