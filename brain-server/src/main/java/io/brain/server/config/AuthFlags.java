package io.brain.server.config;

import io.brain.options.Option;
import io.brain.server.config.BrainConfig.Auth;
import java.time.Duration;
import java.util.List;

/** Flags of authentication. */
final class AuthFlags {
    static final Option<String> AUTH_TOKEN =
            Option.text(
                    "auth-token",
                    "simple",
                    "Tokens of signed-in users: simple, or jwt,sign-method=RS256,pub-key=FILE,"
                            + "priv-key=FILE,ttl=10m.");
    static final Option<Integer> AUTH_TOKEN_TTL =
            Option.number(
                            "auth-token-ttl",
                            "300",
                            "Seconds without a call after which a simple token expires.")
                    .map(Option.upTo(Integer.MAX_VALUE))
                    .map(seconds -> seconds == 0 ? AuthFlags.TTL_SECONDS : seconds);
    static final Option<Long> BCRYPT_COST =
            Option.number(
                            "bcrypt-cost",
                            "10",
                            "Cost of hashing a password, from 4 to 31; one more doubles it. Others"
                                    + " count as 10.")
                    .map(Option::notNegative);

    private static final int TTL_SECONDS = 300;
    private static final int COST_MIN = 4;
    private static final int COST_MAX = 31;
    private static final int COST = 10;

    private AuthFlags() {}

    static Auth read(FlagValues values) {
        long cost = values.get(BCRYPT_COST);
        return new Auth(
                values.get(AUTH_TOKEN),
                Duration.ofSeconds(values.get(AUTH_TOKEN_TTL)),
                isValid(cost) ? (int) cost : COST,
                values.get(TlsFlags.CLIENTS.clientCertAuth()));
    }

    /** A log line for a cost that is not used. */
    static List<String> notes(FlagValues values) {
        long cost = values.get(BCRYPT_COST);
        return isValid(cost)
                ? List.of()
                : List.of("use default bcrypt cost " + COST + " instead of the invalid " + cost);
    }

    private static boolean isValid(long cost) {
        return cost >= COST_MIN && cost <= COST_MAX;
    }
}
