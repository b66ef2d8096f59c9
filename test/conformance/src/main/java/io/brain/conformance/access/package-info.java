/** Users, roles and permissions: made-up calls of several users, compared. */
package io.brain.conformance.access;
