/** Stores that move between Brain and etcd: snapshots, exports, restored servers. */
package io.brain.conformance.cluster.transfer;
