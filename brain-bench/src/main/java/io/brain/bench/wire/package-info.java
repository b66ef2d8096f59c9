/** Calls as bytes: what is sent is encoded before, and of an answer only a few numbers are read. */
package io.brain.bench.wire;
