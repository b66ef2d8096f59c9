package io.brain.backend.auth;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.store.AuthRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Users, roles, and whether calls are checked: the state of authentication at one point of the log.
 * Immutable. The checks throw a {@link BackendException} with etcd's error, in etcd's order.
 */
public final class AuthState {
    /** etcd's order of names. */
    static final Comparator<String> BY_BYTES = Comparator.comparing(Bytes::utf8);

    /** The state of an empty store. */
    public static final AuthState INITIAL =
            new AuthState(
                    new AuthRecord(false, 1), new TreeMap<>(BY_BYTES), new TreeMap<>(BY_BYTES));

    private final AuthRecord record;
    private final NavigableMap<String, User> users;
    private final NavigableMap<String, Role> roles;

    /** The users that were asked for, to find them soon; at most one entry per user. */
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /** A user, and what it may read and write. */
    private record Known(User user, GrantedSpans read, GrantedSpans write) {}

    AuthState(
            AuthRecord record, NavigableMap<String, User> users, NavigableMap<String, Role> roles) {
        this.record = record;
        this.users = Collections.unmodifiableNavigableMap(users);
        this.roles = Collections.unmodifiableNavigableMap(roles);
    }

    /** Reads the stored state. Blocks. */
    public static AuthState read(KeyCoder coder, Snapshot snapshot) {
        Bytes stored = snapshot.get(coder.authKey());
        NavigableMap<String, User> users = new TreeMap<>(BY_BYTES);
        for (User user : readAll(snapshot, coder.users(), AuthCodec::decodeUser)) {
            users.put(user.name(), user);
        }
        NavigableMap<String, Role> roles = new TreeMap<>(BY_BYTES);
        for (Role role : readAll(snapshot, coder.roles(), AuthCodec::decodeRole)) {
            roles.put(role.name(), role);
        }
        return new AuthState(
                stored == null ? INITIAL.record : AuthRecord.decode(stored), users, roles);
    }

    private static <T> List<T> readAll(
            Snapshot snapshot, KeyRange range, Function<Bytes, T> decoder) {
        List<T> all = new ArrayList<>();
        try (Cursor cursor = snapshot.cursor(range, Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                all.add(decoder.apply(cursor.value()));
            }
        }
        return all;
    }

    /** True if calls are checked. */
    public boolean enabled() {
        return record.enabled();
    }

    /** Counts the changes; etcd's auth revision. Enabling does not count. */
    public long revision() {
        return record.revision();
    }

    /** The secret that tokens are made with; empty before authentication was enabled. */
    public Bytes tokenKey() {
        return record.tokenKey();
    }

    /** Orders the states of a store: a later one is larger. */
    public long version() {
        return 2 * record.revision() + (record.enabled() ? 1 : 0);
    }

    /** The least version of a state whose revision is later than another one. */
    public static long versionAfter(long revision) {
        return 2 * (revision + 1);
    }

    /** The user of that name; null if there is none. */
    public User user(String name) {
        Known found = known(name);
        return found == null ? null : found.user();
    }

    /** The role of that name; null if there is none. */
    public Role role(String name) {
        return roles.get(name);
    }

    /** All users, by name. */
    public NavigableMap<String, User> users() {
        return users;
    }

    /** All roles, by name. */
    public NavigableMap<String, Role> roles() {
        return roles;
    }

    AuthRecord record() {
        return record;
    }

    /** Fails with USER_EMPTY if the call must name a user. */
    public void requireCaller(Caller caller) {
        if (enabled() && caller.isNone()) {
            throw new BackendException(ErrorKind.USER_EMPTY);
        }
    }

    /** Fails with USER_EMPTY, USER_NOT_FOUND or PERMISSION_DENIED without the role root. */
    public void requireAdmin(Caller caller) {
        if (!enabled()) {
            return;
        }
        if (caller.user().isEmpty()) {
            throw new BackendException(ErrorKind.USER_EMPTY);
        }
        User user = user(caller.user());
        if (user == null) {
            throw new BackendException(ErrorKind.USER_NOT_FOUND);
        }
        if (!user.isAdmin()) {
            throw new BackendException(ErrorKind.PERMISSION_DENIED);
        }
    }

    /** True if nothing is checked for the caller. */
    public boolean permitsAll(Caller caller) {
        User user = enabled() ? user(caller.user()) : null;
        return !enabled() || (user != null && user.isAdmin());
    }

    /** Fails with USER_EMPTY, AUTH_OLD_REVISION or PERMISSION_DENIED. */
    public void requireRead(Caller caller, KeySpan span) {
        if (enabled()) {
            Known user = require(caller);
            require(user.user().isAdmin() || user.read().cover(span));
        }
    }

    /** Fails with USER_EMPTY, AUTH_OLD_REVISION or PERMISSION_DENIED. */
    public void requireWrite(Caller caller, KeySpan span) {
        if (enabled()) {
            Known user = require(caller);
            require(user.user().isAdmin() || user.write().cover(span));
        }
    }

    /**
     * Fails as {@link #requireWrite} unless the caller may write each of many keys. Looks at one
     * key of each granted span, so that its cost does not grow with the number of keys.
     *
     * @param from finds the least of the keys at or above another one; null if there is none
     */
    public void requireWriteOfAll(Caller caller, UnaryOperator<Bytes> from) {
        Bytes key = permitsAll(caller) ? null : from.apply(Bytes.EMPTY);
        while (key != null) {
            KeySpan granted = require(caller).write().having(key);
            require(granted != null);
            key = granted.end() == null ? null : from.apply(granted.end());
        }
    }

    private Known require(Caller caller) {
        if (caller.authRevision() == 0) {
            throw new BackendException(ErrorKind.USER_EMPTY);
        }
        if (caller.authRevision() < revision()) {
            throw new BackendException(ErrorKind.AUTH_OLD_REVISION);
        }
        Known user = known(caller.user());
        require(user != null);
        return user;
    }

    private static void require(boolean permitted) {
        if (!permitted) {
            throw new BackendException(ErrorKind.PERMISSION_DENIED);
        }
    }

    /** The user of that name; null if there is none. */
    private Known known(String name) {
        Known found = known.get(name);
        if (found == null) {
            User user = users.get(name);
            if (user != null) {
                found =
                        new Known(
                                user,
                                spans(user, Permission::reads),
                                spans(user, Permission::writes));
                known.put(name, found);
            }
        }
        return found;
    }

    private GrantedSpans spans(User user, Predicate<Permission> kind) {
        return new GrantedSpans(
                user.roles().stream()
                        .filter(roles::containsKey)
                        .flatMap(name -> roles.get(name).permissions().stream())
                        .filter(kind)
                        .map(Permission::span)
                        .toList());
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return "AuthState[enabled="
                + enabled()
                + ", revision="
                + revision()
                + ", users="
                + users.size()
                + ", roles="
                + roles.size()
                + "]";
    }
}
