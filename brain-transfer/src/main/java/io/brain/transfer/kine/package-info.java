/** What kine stores in a database, as a source of an import. */
package io.brain.transfer.kine;
