package io.brain.backend.auth;

import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * A user.
 *
 * @param passwordHash bcrypt's text; empty: no password matches
 * @param roles in order; a role may be missing
 * @param noPassword signs in by certificate only
 * @param generation the auth revision of the user's creation or last change of password; tokens of
 *     an earlier one are not valid
 */
public record User(
        String name, Bytes passwordHash, List<String> roles, boolean noPassword, long generation) {
    /** The user that must exist to enable authentication. */
    public static final String ROOT = "root";

    /** Copies the list. */
    public User {
        roles = List.copyOf(roles);
    }

    /** True if the user may do everything. */
    public boolean isAdmin() {
        return roles.contains(Role.ROOT);
    }

    User withPassword(Bytes hash, long newGeneration) {
        return new User(name, hash, roles, noPassword, newGeneration);
    }

    User with(String role) {
        List<String> more = new ArrayList<>(roles);
        more.add(role);
        more.sort(AuthState.BY_BYTES);
        return new User(name, passwordHash, more, noPassword, generation);
    }

    User without(String role) {
        List<String> fewer = roles.stream().filter(one -> !one.equals(role)).toList();
        return new User(name, passwordHash, fewer, noPassword, generation);
    }

    /** Without the hash. */
    @Override
    public String toString() {
        return "User[name=" + name + ", roles=" + roles + ", noPassword=" + noPassword + "]";
    }
}
