/**
 * The numbered behaviours of etcd that Brain must share, as scenarios; numbers from 201 on are
 * behaviours that the numbered list does not name.
 */
package io.brain.conformance.cases;
