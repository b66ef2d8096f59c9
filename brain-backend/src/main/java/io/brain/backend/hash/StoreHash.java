package io.brain.backend.hash;

/**
 * Hash of a store.
 *
 * @param hash CRC-32C of the stored keys and values
 * @param newest the newest revision
 */
public record StoreHash(int hash, long newest) {}
