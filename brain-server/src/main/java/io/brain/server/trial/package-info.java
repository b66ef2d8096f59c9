/** A trial: the answers of a running cluster compared with those of a standby of it. */
package io.brain.server.trial;
