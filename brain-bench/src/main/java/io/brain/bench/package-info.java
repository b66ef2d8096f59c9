/** The load generator: drives servers of etcd's API in turns, and says what each costs. */
package io.brain.bench;
