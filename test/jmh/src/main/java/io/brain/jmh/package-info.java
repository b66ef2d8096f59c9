/** Benchmarks of inner parts, for JMH; {@code test/bench/jmh.sh} runs them. */
package io.brain.jmh;
