/**
 * A server as a standby of another cluster: it follows the cluster, answers reads, and passes
 * changes on to it, until the cutover.
 */
package io.brain.server.standby;
