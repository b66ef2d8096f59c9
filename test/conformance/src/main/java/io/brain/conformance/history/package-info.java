/**
 * Histories: long sequences of requests made up from a seed, sent to both servers one by one. A
 * history whose answers differ is cut down to the fewest requests that still show it.
 */
package io.brain.conformance.history;
