/**
 * The rules of a transaction. {@link io.brain.backend.txn.RequestChecks} checks a request's form
 * before it is proposed; {@link io.brain.backend.txn.TxnEvaluator} decides compares, checks against
 * the state and executes operations on a {@link io.brain.backend.txn.TxnContext}. Knows neither
 * threads nor batches.
 */
package io.brain.backend.txn;
