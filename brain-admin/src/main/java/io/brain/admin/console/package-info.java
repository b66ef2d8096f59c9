/** Admin endpoints, answered as JSON; the console and {@code brain ctl} show them. */
package io.brain.admin.console;
