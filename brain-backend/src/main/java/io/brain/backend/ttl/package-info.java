/**
 * Expiry of keys by rules of their paths: a scanner of the expiry records, and the proposal that
 * deletes keys.
 */
package io.brain.backend.ttl;
