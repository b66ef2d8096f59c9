/** Makes the JVM load and compile what serves clients, with a temporary server. */
package io.brain.server.warmup;
