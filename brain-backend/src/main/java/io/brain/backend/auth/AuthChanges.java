package io.brain.backend.auth;

import io.brain.backend.auth.AuthChange.AddRole;
import io.brain.backend.auth.AuthChange.AddUser;
import io.brain.backend.auth.AuthChange.ChangePassword;
import io.brain.backend.auth.AuthChange.DeleteRole;
import io.brain.backend.auth.AuthChange.DeleteUser;
import io.brain.backend.auth.AuthChange.Disable;
import io.brain.backend.auth.AuthChange.Enable;
import io.brain.backend.auth.AuthChange.GrantPermission;
import io.brain.backend.auth.AuthChange.GrantRole;
import io.brain.backend.auth.AuthChange.RevokePermission;
import io.brain.backend.auth.AuthChange.RevokeRole;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.GoSort;
import io.brain.backend.store.AuthRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Makes the next state of a change, as etcd does. Fails with etcd's errors, in etcd's order. */
public final class AuthChanges {
    /** Limit of a state's encoded bytes, which nodes send each other in one message. */
    private static final long BYTES_MAX = 4 << 20;

    /** Limit of a name: of a key in a database of etcd, where a longer one ends the process. */
    private static final int NAME_BYTES_MAX = 32 << 10;

    private final AuthState before;
    private final NavigableMap<String, User> users;
    private final NavigableMap<String, Role> roles;

    private AuthChanges(AuthState before) {
        this.before = before;
        this.users = new TreeMap<>(before.users());
        this.roles = new TreeMap<>(before.roles());
    }

    /**
     * The state after a change; {@code before} itself if nothing changes.
     *
     * @throws BackendException with etcd's error; above the limit of bytes TOO_MANY_REQUESTS, or
     *     REQUEST_TOO_LARGE for one name
     */
    public static AuthState apply(AuthState before, AuthChange change) {
        AuthState after = new AuthChanges(before).after(change);
        long bytes = after == before ? 0 : AuthCodec.encode(after).length();
        if (bytes > BYTES_MAX && bytes > AuthCodec.encode(before).length()) {
            throw new BackendException(ErrorKind.TOO_MANY_REQUESTS);
        }
        return after;
    }

    /**
     * Passes the records that differ between two states, by their stored keys.
     *
     * @param put receives an empty value for a record to remove
     */
    public static void store(
            AuthState before, AuthState after, KeyCoder coder, BiConsumer<Bytes, Bytes> put) {
        put.accept(coder.authKey(), after.record().encode());
        Function<String, Bytes> userKey = name -> coder.userKey(Bytes.utf8(name));
        store(before.users(), after.users(), userKey, AuthCodec::encode, put);
        Function<String, Bytes> roleKey = name -> coder.roleKey(Bytes.utf8(name));
        store(before.roles(), after.roles(), roleKey, AuthCodec::encode, put);
    }

    private static <T> void store(
            Map<String, T> before,
            Map<String, T> after,
            Function<String, Bytes> key,
            Function<T, Bytes> encoder,
            BiConsumer<Bytes, Bytes> put) {
        after.forEach(
                (name, value) -> {
                    if (before.get(name) != value) {
                        put.accept(key.apply(name), encoder.apply(value));
                    }
                });
        for (String name : before.keySet()) {
            if (!after.containsKey(name)) {
                put.accept(key.apply(name), Bytes.EMPTY);
            }
        }
    }

    private AuthState after(AuthChange change) {
        if (change instanceof Enable enable) {
            return enable(enable.tokenKey());
        } else if (change instanceof Disable) {
            return before.enabled() ? next(false) : before;
        } else if (change instanceof AddUser add) {
            addUser(add);
        } else if (change instanceof DeleteUser delete) {
            deleteUser(delete.name());
        } else if (change instanceof ChangePassword password) {
            changePassword(password);
        } else if (change instanceof GrantRole grant) {
            if (!grantRole(grant)) {
                return before;
            }
        } else if (change instanceof RevokeRole revoke) {
            revokeRole(revoke);
        } else if (change instanceof AddRole add) {
            addRole(add.name());
        } else if (change instanceof DeleteRole delete) {
            deleteRole(delete.name());
        } else if (change instanceof GrantPermission grant) {
            grantPermission(grant);
        } else if (change instanceof RevokePermission revoke) {
            revokePermission(revoke);
        }
        return next(before.enabled());
    }

    private AuthState next(boolean enabled) {
        return new AuthState(
                new AuthRecord(enabled, before.revision() + 1, before.tokenKey()), users, roles);
    }

    /** As in etcd, this does not count as a revision. */
    private AuthState enable(Bytes tokenKey) {
        if (before.enabled()) {
            return before;
        }
        User root = users.get(User.ROOT);
        require(root != null, ErrorKind.ROOT_USER_MISSING);
        require(root.isAdmin(), ErrorKind.ROOT_ROLE_MISSING);
        return new AuthState(new AuthRecord(true, before.revision(), tokenKey), users, roles);
    }

    private void addUser(AddUser add) {
        require(!add.name().isEmpty(), ErrorKind.USER_EMPTY);
        require(!users.containsKey(add.name()), ErrorKind.USER_EXISTS);
        requireShort(add.name());
        Bytes hash = add.noPassword() ? Bytes.EMPTY : add.passwordHash();
        long generation = before.revision() + 1;
        users.put(add.name(), new User(add.name(), hash, List.of(), add.noPassword(), generation));
    }

    private void deleteUser(String name) {
        require(!before.enabled() || !name.equals(User.ROOT), ErrorKind.INVALID_AUTH_MANAGEMENT);
        require(users.remove(name) != null, ErrorKind.USER_NOT_FOUND);
    }

    private void changePassword(ChangePassword change) {
        User user = user(change.name());
        Bytes hash = user.noPassword() ? Bytes.EMPTY : change.passwordHash();
        users.put(user.name(), user.withPassword(hash, before.revision() + 1));
    }

    /** False if the user has the role. The role root need not exist. */
    private boolean grantRole(GrantRole grant) {
        User user = user(grant.user());
        require(
                grant.role().equals(Role.ROOT) || roles.containsKey(grant.role()),
                ErrorKind.ROLE_NOT_FOUND);
        if (user.roles().contains(grant.role())) {
            return false;
        }
        users.put(user.name(), user.with(grant.role()));
        return true;
    }

    private void revokeRole(RevokeRole revoke) {
        boolean last = revoke.user().equals(User.ROOT) && revoke.role().equals(Role.ROOT);
        require(!before.enabled() || !last, ErrorKind.INVALID_AUTH_MANAGEMENT);
        User user = user(revoke.user());
        require(user.roles().contains(revoke.role()), ErrorKind.ROLE_NOT_GRANTED);
        users.put(user.name(), user.without(revoke.role()));
    }

    private void addRole(String name) {
        require(!name.isEmpty(), ErrorKind.ROLE_EMPTY);
        require(!roles.containsKey(name), ErrorKind.ROLE_EXISTS);
        requireShort(name);
        roles.put(name, new Role(name, List.of()));
    }

    private void deleteRole(String name) {
        require(!before.enabled() || !name.equals(Role.ROOT), ErrorKind.INVALID_AUTH_MANAGEMENT);
        require(roles.remove(name) != null, ErrorKind.ROLE_NOT_FOUND);
        users.replaceAll((user, old) -> old.roles().contains(name) ? old.without(name) : old);
    }

    private void grantPermission(GrantPermission grant) {
        Permission added = grant.permission();
        require(added.isValid(), ErrorKind.INVALID_AUTH_MANAGEMENT);
        Role role = role(grant.role());
        List<Permission> permissions = new ArrayList<>(role.permissions());
        int at = 0;
        while (at < permissions.size() && permissions.get(at).key().compareTo(added.key()) < 0) {
            at++;
        }
        // As in etcd, only the first permission of a key is replaced.
        if (at < permissions.size() && permissions.get(at).sameKeys(added.key(), added.end())) {
            permissions.set(at, added);
        } else {
            permissions.add(added);
            GoSort.sort(permissions, Comparator.comparing(Permission::key));
        }
        roles.put(role.name(), role.with(permissions));
    }

    private void revokePermission(RevokePermission revoke) {
        Role role = role(revoke.role());
        List<Permission> left =
                role.permissions().stream()
                        .filter(one -> !one.sameKeys(revoke.key(), revoke.end()))
                        .toList();
        require(left.size() < role.permissions().size(), ErrorKind.PERMISSION_NOT_GRANTED);
        roles.put(role.name(), role.with(left));
    }

    private User user(String name) {
        User user = users.get(name);
        require(user != null, ErrorKind.USER_NOT_FOUND);
        return user;
    }

    private Role role(String name) {
        Role role = roles.get(name);
        require(role != null, ErrorKind.ROLE_NOT_FOUND);
        return role;
    }

    private static void requireShort(String name) {
        require(Bytes.utf8(name).length() <= NAME_BYTES_MAX, ErrorKind.REQUEST_TOO_LARGE);
    }

    private static void require(boolean holds, ErrorKind otherwise) {
        if (!holds) {
            throw new BackendException(otherwise);
        }
    }
}
