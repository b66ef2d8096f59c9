/** The process: signals, and what started it. */
package io.brain.server.process;
