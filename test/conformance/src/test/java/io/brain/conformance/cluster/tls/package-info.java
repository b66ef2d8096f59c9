/** Clients with and without certificates, at etcd and at the server under test. */
package io.brain.conformance.cluster.tls;
