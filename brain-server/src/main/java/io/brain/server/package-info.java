/** The server: reads the configuration, opens the storage, runs a node, and serves clients. */
package io.brain.server;
