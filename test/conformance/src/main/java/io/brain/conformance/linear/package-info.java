/**
 * Was a history of concurrent requests to a cluster linearizable? The main checker leans on the
 * store-wide revisions in all answers; a search that knows of none checks small parts again.
 */
package io.brain.conformance.linear;
