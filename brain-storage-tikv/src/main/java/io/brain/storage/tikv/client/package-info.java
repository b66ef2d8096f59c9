/** Connections to PD and TiKV: settings, regions, timestamps, safe points, retries. */
package io.brain.storage.tikv.client;
