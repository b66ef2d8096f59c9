/** Measures how soon followers show what the leader has committed. */
package io.brain.conformance.followers;
