/** What the adapters of remote stores share: threads that commit, and what is open. */
package io.brain.storage.remote;
