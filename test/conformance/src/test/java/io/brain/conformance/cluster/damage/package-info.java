/**
 * Files of a stopped server are damaged, each kind in turn: the server must refuse to start and say
 * which file, or start and have lost nothing; and {@code check} must find what a start does not.
 */
package io.brain.conformance.cluster.damage;
