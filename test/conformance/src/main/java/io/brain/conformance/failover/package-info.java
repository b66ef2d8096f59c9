/** How long a cluster of three is away when its leader goes, and what its watchers notice of it. */
package io.brain.conformance.failover;
