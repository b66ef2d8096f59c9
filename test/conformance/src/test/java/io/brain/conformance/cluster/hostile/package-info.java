/**
 * Clients that mean harm, or act as if: ten thousand watchers, clients that never read, requests
 * that are too large or no requests at all. Memory stays bounded and everybody else is served.
 */
package io.brain.conformance.cluster.hostile;
