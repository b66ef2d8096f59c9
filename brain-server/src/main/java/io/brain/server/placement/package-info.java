/** The service for prefixes that are placed on several stores, and its client. */
package io.brain.server.placement;
