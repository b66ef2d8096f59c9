/**
 * Time, threads and observation of the backend: injected, so that a simulation can control them.
 */
package io.brain.backend.runtime;
