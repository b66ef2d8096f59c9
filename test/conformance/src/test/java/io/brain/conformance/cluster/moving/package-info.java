/** Data moved between a real etcd and Brain is the same afterwards: every revision, every hash. */
package io.brain.conformance.cluster.moving;
