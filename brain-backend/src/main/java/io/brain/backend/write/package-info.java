/**
 * The write path: admit, sequence, commit, publish. One thread evaluates every write at the tip;
 * what has queued goes to the engine as one batch; answers leave when it is durable and published.
 */
package io.brain.backend.write;
