/** The load and the faults of which the checker's histories are made, and the program. */
package io.brain.conformance.linear.load;
