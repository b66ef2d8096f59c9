/** The HTTP/1 side of a listener: health, version and metrics, as etcd answers them. */
package io.brain.server.http;
