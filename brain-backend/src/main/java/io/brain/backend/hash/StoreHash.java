package io.brain.backend.hash;

/**
 * The hash of a store as it is, whatever that means to clients.
 *
 * @param hash CRC-32C of the stored keys and values
 * @param newest the newest revision when it was made
 */
public record StoreHash(int hash, long newest) {}
