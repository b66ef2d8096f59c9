/** Order: which revisions were dealt, which are committed, which are still readable. */
package io.brain.backend.revision;
