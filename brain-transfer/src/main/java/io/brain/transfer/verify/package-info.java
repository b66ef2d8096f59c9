/** Compares the data of two clusters, stores or files at a revision. */
package io.brain.transfer.verify;
