/**
 * The store as the other packages see it: the layout of keys and records on disk
 * (docs/storage-format.md), the committed revision, the compaction floor, and read points.
 */
package io.brain.backend.store;
