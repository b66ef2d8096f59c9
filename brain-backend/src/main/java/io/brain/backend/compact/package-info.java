/**
 * Compaction: raises the floor of what can be read, then removes what is below it in the
 * background, step by step along the commit log. Lives on the leader only.
 */
package io.brain.backend.compact;
