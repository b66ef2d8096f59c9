/**
 * What happens to a healthy client, and to the server's memory, while others overload the server:
 * the same script against etcd and Brain, in turns. Started by {@code test/bench/overload.sh}.
 */
package io.brain.conformance.overload;
