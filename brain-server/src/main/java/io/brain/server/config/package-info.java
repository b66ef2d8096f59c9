/** The command line and the environment, read as etcd reads them, and the settings they make. */
package io.brain.server.config;
