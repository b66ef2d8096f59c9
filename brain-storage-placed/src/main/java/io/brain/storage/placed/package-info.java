/**
 * Several stores as one storage: the base store, and placed stores that hold the prefixes placed on
 * them. {@link io.brain.storage.placed.PlacedStorage} is the storage; it moves prefixes while it
 * serves.
 *
 * <p>A commit over several stores is one batch of the base with a redo record. Knows nothing of the
 * meaning of keys: a function says which ranges belong to a prefix.
 */
package io.brain.storage.placed;
