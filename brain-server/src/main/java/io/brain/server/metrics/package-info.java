/** Metrics and the /metrics page, with etcd's names, so that existing dashboards work. */
package io.brain.server.metrics;
