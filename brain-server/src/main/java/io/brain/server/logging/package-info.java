/** How log lines look and where they go; the only place that names the logging library. */
package io.brain.server.logging;
