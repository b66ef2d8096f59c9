/** The server: reads its settings, opens the storage, runs a node on it, and serves clients. */
package io.brain.server;
