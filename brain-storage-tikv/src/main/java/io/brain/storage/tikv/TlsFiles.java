package io.brain.storage.tikv;

/**
 * PEM files for connections to PD and TiKV.
 *
 * @param ca certificates that are trusted
 * @param certificate this process's own; null if the cluster asks for none
 * @param key the key of that; null if there is none
 */
record TlsFiles(String ca, String certificate, String key) {}
