/**
 * Compaction: raises the floor of readable revisions, then removes older versions in the
 * background, in steps along the commit log. On the leader only.
 */
package io.brain.backend.compact;
