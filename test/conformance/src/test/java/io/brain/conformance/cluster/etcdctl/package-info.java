/** etcdctl, the command line that people use: it must not be able to tell two servers apart. */
package io.brain.conformance.cluster.etcdctl;
