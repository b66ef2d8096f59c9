/** The command line: the server, and the commands that work on stores and running clusters. */
package io.brain.server.command;
