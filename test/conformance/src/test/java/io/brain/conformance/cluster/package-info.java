/**
 * Suites that run a whole server process the way a cluster does: under a real kube-apiserver, under
 * etcdctl and jetcd, killed at random moments, traced to its system calls, and abused by its
 * clients. The server is named by {@code -Dbrain.command} and is any program that takes etcd's
 * flags, so every suite is first proven on etcd itself.
 */
package io.brain.conformance.cluster;
