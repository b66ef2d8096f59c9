/** Time and threads as the backend sees them: handed in, so that a simulation can own both. */
package io.brain.backend.runtime;
