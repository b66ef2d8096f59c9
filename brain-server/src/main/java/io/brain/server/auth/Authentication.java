package io.brain.server.auth;

import io.brain.backend.runtime.Clock;
import io.brain.server.config.BrainConfig;
import io.brain.storage.Bytes;
import java.security.SecureRandom;

/** Tokens and passwords of a server, and its source of secrets. */
public record Authentication(
        Tokens tokens, Passwords passwords, SecureRandom random, boolean commonNames)
        implements AutoCloseable {
    private static final int TOKEN_KEY_BYTES = 32;

    /** Opens what the configuration asks for. */
    public static Authentication open(BrainConfig.Auth config, Clock clock)
            throws TokenOptions.InvalidException {
        SecureRandom random = new SecureRandom();
        Tokens tokens = TokenOptions.open(config.tokens(), config.tokenTtl(), clock, random);
        Passwords passwords =
                new BcryptPasswords(config.passwordCost(), BcryptPasswords.threads(), random);
        return new Authentication(tokens, passwords, random, config.commonNames());
    }

    /** A random token key. */
    public Bytes newTokenKey() {
        byte[] key = new byte[TOKEN_KEY_BYTES];
        random.nextBytes(key);
        return Bytes.wrap(key);
    }

    @Override
    public void close() {
        passwords.close();
    }
}
