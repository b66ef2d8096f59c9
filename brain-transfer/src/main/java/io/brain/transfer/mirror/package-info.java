/** Follows a running cluster, revision by revision. */
package io.brain.transfer.mirror;
