/**
 * The rules of a transaction: checks of the request, comparisons, operations on the pending state,
 * results. Knows neither threads nor batches.
 */
package io.brain.backend.txn;
