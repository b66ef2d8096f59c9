/**
 * How many keys there are, without walking over them. Nothing is counted in advance: who walks
 * tells what it saw, and commits keep that true. Knows nothing of how keys are stored.
 */
package io.brain.backend.count;
