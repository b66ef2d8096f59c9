/** Unit files, manifests and configuration files that start an etcd somewhere start the server. */
package io.brain.conformance.cluster.startlines;
