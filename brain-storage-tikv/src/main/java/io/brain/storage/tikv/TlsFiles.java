package io.brain.storage.tikv;

/**
 * PEM files for connections to PD and TiKV.
 *
 * @param ca CA bundle
 * @param certificate client certificate
 * @param key private key of the certificate
 */
record TlsFiles(String ca, String certificate, String key) {}
