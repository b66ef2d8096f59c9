package io.brain.storage.tikv;

/**
 * PEM files for connections to PD and TiKV.
 *
 * @param ca certificates that are trusted
 * @param certificate this process's own
 * @param key the key of that
 */
record TlsFiles(String ca, String certificate, String key) {}
