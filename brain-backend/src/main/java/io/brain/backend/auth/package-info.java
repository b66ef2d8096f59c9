/** Users, roles and what they may do: immutable states, their changes, and the checks of a call. */
package io.brain.backend.auth;
