/** Facts for people who look on, as JSON: what the console and {@code brain ctl} show. */
package io.brain.server.console;
