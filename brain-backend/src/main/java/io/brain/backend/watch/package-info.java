/**
 * Watches: the ring of recent events, the commit log behind it, the index of watchers, and the hub
 * that brings the three together on one thread.
 */
package io.brain.backend.watch;
