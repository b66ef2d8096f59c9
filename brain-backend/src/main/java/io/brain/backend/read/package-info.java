/** The read path: ranges at a revision on an engine snapshot, within a budget of response bytes. */
package io.brain.backend.read;
