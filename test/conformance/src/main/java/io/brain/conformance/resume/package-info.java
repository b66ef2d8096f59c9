/** Watchers of idle prefixes that resume after compactions. */
package io.brain.conformance.resume;
