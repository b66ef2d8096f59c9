/**
 * {@code brain check}: reads the store of a stopped server and reports damage. Relies on
 * docs/storage-format.md; changes nothing.
 */
package io.brain.admin.check;
