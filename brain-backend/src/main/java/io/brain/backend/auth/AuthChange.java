package io.brain.backend.auth;

import io.brain.storage.Bytes;

/** A change of the state of authentication. Immutable; no text form has a secret. */
public sealed interface AuthChange {
    /**
     * Lets calls be checked; nothing happens if they are.
     *
     * @param tokenKey random
     */
    record Enable(Bytes tokenKey) implements AuthChange {
        @Override
        public String toString() {
            return "Enable";
        }
    }

    /** Lets no call be checked. */
    record Disable() implements AuthChange {}

    /**
     * Adds a user.
     *
     * @param passwordHash not used with {@code noPassword}
     */
    record AddUser(String name, Bytes passwordHash, boolean noPassword) implements AuthChange {
        @Override
        public String toString() {
            return "AddUser[name=" + name + "]";
        }
    }

    record DeleteUser(String name) implements AuthChange {}

    /** Replaces the hash of a user's password; an empty one matches no password. */
    record ChangePassword(String name, Bytes passwordHash) implements AuthChange {
        @Override
        public String toString() {
            return "ChangePassword[name=" + name + "]";
        }
    }

    record GrantRole(String user, String role) implements AuthChange {}

    record RevokeRole(String user, String role) implements AuthChange {}

    record AddRole(String name) implements AuthChange {}

    record DeleteRole(String name) implements AuthChange {}

    /** Adds a permission to a role, or changes its type. */
    record GrantPermission(String role, Permission permission) implements AuthChange {}

    record RevokePermission(String role, Bytes key, Bytes end) implements AuthChange {}
}
