/**
 * Time and threads as the backend sees them: handed in, so that a simulation can own both; and what
 * it tells of itself.
 */
package io.brain.backend.runtime;
