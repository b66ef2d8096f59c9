/** Reads: ranges at a revision from the cache and the engine, within a budget of response bytes. */
package io.brain.backend.read;
