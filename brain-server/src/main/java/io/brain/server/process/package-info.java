/** The process: signals, what started it, and why it cannot go on. */
package io.brain.server.process;
