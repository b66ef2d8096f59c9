/** Real servers as processes: started with a fresh directory, stopped, killed and started again. */
package io.brain.conformance.server;
