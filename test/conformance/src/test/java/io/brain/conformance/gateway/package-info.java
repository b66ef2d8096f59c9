/** The JSON gateway of Brain compared with a real etcd's. */
package io.brain.conformance.gateway;
