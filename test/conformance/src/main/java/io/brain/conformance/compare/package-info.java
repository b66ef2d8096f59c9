/** What two servers answered, without what may differ, compared field by field. */
package io.brain.conformance.compare;
