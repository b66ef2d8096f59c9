/** {@code brain ctl}: what operators want to know of a server that runs, on a terminal. */
package io.brain.server.ctl;
