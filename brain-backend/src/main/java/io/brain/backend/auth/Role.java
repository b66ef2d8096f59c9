package io.brain.backend.auth;

import java.util.List;

/**
 * A role.
 *
 * @param permissions in order of their keys
 */
public record Role(String name, List<Permission> permissions) {
    /** The role that may do everything. */
    public static final String ROOT = "root";

    /** Copies the list. */
    public Role {
        permissions = List.copyOf(permissions);
    }

    /** What RoleGet shows: the role root has all permissions, and none are stored. */
    public List<Permission> shown() {
        return name.equals(ROOT) ? List.of(Permission.ALL) : permissions;
    }

    Role with(List<Permission> others) {
        return new Role(name, others);
    }
}
