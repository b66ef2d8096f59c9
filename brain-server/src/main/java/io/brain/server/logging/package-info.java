/** Format and destination of log lines; the only package that uses the logging library. */
package io.brain.server.logging;
