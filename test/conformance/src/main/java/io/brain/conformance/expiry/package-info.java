/** What a client notices while many keys of others expire together. */
package io.brain.conformance.expiry;
