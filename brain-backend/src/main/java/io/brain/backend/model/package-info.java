/**
 * Words that all parts of the backend share: queries, transactions, answers, events, errors; and
 * the cache by key that readers and the writer both have.
 */
package io.brain.backend.model;
