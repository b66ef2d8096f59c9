package io.brain.backend.fair;

import java.util.Objects;

/**
 * Whose requests share a turn in a {@link FairQueue}: those of a user, else those of a connection;
 * its renewals of leases apart.
 *
 * @param name name of the user, or address of the client; empty for {@link #SERVER}
 * @param connection tells tenants of the same name apart by {@code equals}; null for a user and the
 *     server
 */
public record Tenant(String name, Object connection) {
    /** The server's own work. */
    public static final Tenant SERVER = new Tenant("", null);

    /** Checks the name. */
    public Tenant {
        Objects.requireNonNull(name, "name");
    }

    /**
     * A user's requests, of all connections.
     *
     * @param name not empty
     */
    public static Tenant user(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a user has a name");
        }
        return new Tenant(name, null);
    }

    /**
     * The requests of a connection without a user.
     *
     * @param address shown to operators
     */
    public static Tenant connection(String address, Object connection) {
        return new Tenant(address, Objects.requireNonNull(connection, "connection"));
    }

    /**
     * The renewals of leases of a tenant. A lease must not expire because its owner, or anybody
     * else, reads much; and renewals must not hold back what they do not concern.
     */
    public Tenant renewals() {
        return new Tenant(name, new Renewals(connection));
    }

    private record Renewals(Object connection) {}
}
