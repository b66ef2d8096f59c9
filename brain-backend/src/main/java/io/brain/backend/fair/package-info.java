/** Tenants, the limit that they share, and the queue in which their requests wait. */
package io.brain.backend.fair;
