package io.brain.server.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;

/** Creates in-memory key stores. */
final class Stores {
    private Stores() {}

    static KeyStore empty() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException impossible) {
            throw new GeneralSecurityException(impossible);
        }
        return store;
    }
}
