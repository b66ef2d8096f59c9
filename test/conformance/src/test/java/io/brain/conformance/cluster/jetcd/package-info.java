/** The Java client that others use, jetcd: the same tests on etcd and on the server under test. */
package io.brain.conformance.cluster.jetcd;
