/**
 * Calls on encoded messages: requests are encoded in advance, and few fields of answers are read.
 */
package io.brain.bench.wire;
