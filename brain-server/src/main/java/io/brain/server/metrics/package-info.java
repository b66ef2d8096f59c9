/** What is counted, and the page it is read from: etcd's names, so that dashboards keep working. */
package io.brain.server.metrics;
