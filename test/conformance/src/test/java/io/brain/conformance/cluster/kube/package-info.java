/**
 * A real kube-apiserver with the server under test as its only store: what Kubernetes does to an
 * etcd, from paged lists to its own compactions, and what it sees when the store is killed.
 */
package io.brain.conformance.cluster.kube;
