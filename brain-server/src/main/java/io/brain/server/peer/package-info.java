/**
 * How nodes reach each other: the service that a leader serves, and the followers' way to it. Of no
 * use to clients, and on ports of its own.
 */
package io.brain.server.peer;
