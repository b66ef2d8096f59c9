/** HTTP/1 endpoints of a listener: health, version and metrics as in etcd, and the console. */
package io.brain.server.http;
