/** The kinds of load, as Kubernetes makes them. */
package io.brain.bench.shape;
