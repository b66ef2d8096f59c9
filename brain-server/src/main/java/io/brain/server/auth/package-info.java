/** Who calls, and what the call needs. */
package io.brain.server.auth;
