/** The console in a real browser. */
package io.brain.conformance.cluster.console;
