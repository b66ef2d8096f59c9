/**
 * Reads a store that nobody writes to from end to end, and tells what is damaged in it. Knows what
 * docs/storage-format.md promises, changes nothing, and holds no more than a record at a time.
 */
package io.brain.admin.check;
