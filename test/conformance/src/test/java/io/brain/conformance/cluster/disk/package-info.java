/** A server whose disk runs full: a small file system of its own, mounted for its process alone. */
package io.brain.conformance.cluster.disk;
