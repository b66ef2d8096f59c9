package io.brain.backend.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What users may read and write. */
class AuthStateTest {
    private static final Bytes NO_END = Bytes.wrap(new byte[1]);

    private AuthState state = AuthState.INITIAL;

    private void change(AuthChange change) {
        state = AuthChanges.apply(state, change);
    }

    private void grant(int type, String key, String end) {
        change(
                new AuthChange.GrantPermission(
                        "r", new Permission(type, Bytes.utf8(key), Bytes.utf8(end))));
    }

    private void enable() {
        change(new AuthChange.AddUser("root", Bytes.EMPTY, false));
        change(new AuthChange.GrantRole("root", "root"));
        change(new AuthChange.AddUser("eve", Bytes.EMPTY, false));
        change(new AuthChange.AddRole("r"));
        change(new AuthChange.GrantRole("eve", "r"));
        change(new AuthChange.Enable(Bytes.utf8("key")));
    }

    private Caller eve() {
        return new Caller("eve", state.revision());
    }

    private static KeySpan span(String key, String end) {
        return KeySpan.of(Bytes.utf8(key), Bytes.utf8(end));
    }

    private boolean reads(String key, String end) {
        try {
            state.requireRead(eve(), span(key, end));
            return true;
        } catch (BackendException refused) {
            assertThat(refused.kind()).isEqualTo(ErrorKind.PERMISSION_DENIED);
            return false;
        }
    }

    private static void refused(Runnable check, ErrorKind kind) {
        assertThatThrownBy(check::run)
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    @Test
    void nothingIsCheckedWhileDisabled() {
        state.requireRead(Caller.NONE, KeySpan.ALL);
        state.requireWrite(Caller.NONE, KeySpan.ALL);
        state.requireAdmin(Caller.NONE);
        state.requireCaller(Caller.NONE);
        assertThat(state.permitsAll(Caller.NONE)).isTrue();
    }

    @Test
    void theErrorsAreInEtcdsOrder() {
        enable();
        KeySpan key = span("k", "");
        refused(() -> state.requireRead(Caller.NONE, key), ErrorKind.USER_EMPTY);
        refused(() -> state.requireRead(new Caller("no", 1), key), ErrorKind.AUTH_OLD_REVISION);
        Caller unknown = new Caller("no", state.revision());
        refused(() -> state.requireRead(unknown, key), ErrorKind.PERMISSION_DENIED);
        refused(() -> state.requireWrite(eve(), key), ErrorKind.PERMISSION_DENIED);
        state.requireWrite(new Caller("root", state.revision()), key);
        refused(() -> state.requireWrite(new Caller("root", 1), key), ErrorKind.AUTH_OLD_REVISION);
        refused(() -> state.requireAdmin(Caller.NONE), ErrorKind.USER_EMPTY);
        refused(() -> state.requireAdmin(unknown), ErrorKind.USER_NOT_FOUND);
        refused(() -> state.requireAdmin(eve()), ErrorKind.PERMISSION_DENIED);
        state.requireAdmin(new Caller("root", 1));
    }

    /** Tokens of another issuer may say that. */
    @Test
    void aCallerOfNoRevisionHasNoPermissionsOfKeysButIsOne() {
        enable();
        grant(Permission.READ_WRITE, "a", "z");
        for (String user : new String[] {"eve", "root"}) {
            Caller caller = new Caller(user, 0);
            state.requireCaller(caller);
            refused(() -> state.requireRead(caller, span("a", "")), ErrorKind.USER_EMPTY);
            refused(() -> state.requireWrite(caller, span("a", "")), ErrorKind.USER_EMPTY);
        }
        state.requireAdmin(new Caller("root", 0));
        refused(() -> state.requireAdmin(new Caller("eve", 0)), ErrorKind.PERMISSION_DENIED);
        refused(() -> state.requireCaller(Caller.NONE), ErrorKind.USER_EMPTY);
    }

    @Test
    void aRangeMustBeCoveredCompletely() {
        enable();
        grant(Permission.READ, "b", "d");
        assertThat(reads("b", "")).isTrue();
        assertThat(reads("b", "d")).isTrue();
        assertThat(reads("c", "cc")).isTrue();
        assertThat(reads("a", "")).isFalse();
        assertThat(reads("a", "c")).isFalse();
        assertThat(reads("c", "e")).isFalse();
        assertThat(reads("d", "")).isFalse();
        assertThat(reads("c", "\0")).isFalse();
    }

    @Test
    void touchingPermissionsCoverTogether() {
        enable();
        grant(Permission.READ, "a", "c");
        grant(Permission.READ_WRITE, "c", "e");
        grant(Permission.WRITE, "e", "g");
        assertThat(reads("a", "e")).isTrue();
        assertThat(reads("a", "f")).isFalse();
        state.requireWrite(eve(), span("c", "g"));
        refused(() -> state.requireWrite(eve(), span("b", "g")), ErrorKind.PERMISSION_DENIED);
    }

    @Test
    void aPermissionOfOneKeyIsForThatKey() {
        enable();
        grant(Permission.READ, "k", "");
        assertThat(reads("k", "")).isTrue();
        assertThat(reads("k", "l")).isFalse();
        assertThat(reads("k\0", "")).isFalse();
        assertThat(reads("k", "\0")).isFalse();
    }

    @Test
    void aPermissionWithoutAnEndCoversAllAbove() {
        enable();
        change(
                new AuthChange.GrantPermission(
                        "r", new Permission(Permission.READ, Bytes.utf8("m"), NO_END)));
        assertThat(reads("m", "\0")).isTrue();
        assertThat(reads("n", "z")).isTrue();
        assertThat(reads("l", "\0")).isFalse();
        assertThat(reads("l", "")).isFalse();
    }

    @Test
    void anEmptyRangeIsCheckedByItsFirstKey() {
        enable();
        grant(Permission.READ, "k", "m");
        assertThat(reads("l", "a")).isTrue();
        assertThat(reads("m", "a")).isFalse();
    }

    @Test
    void manyKeysAreCheckedByOneOfEachPermission() {
        enable();
        grant(Permission.WRITE, "b", "d");
        grant(Permission.WRITE, "e", "");
        grant(Permission.READ, "f", "g");
        assertThat(looksToWrite("b", "ba", "c", "cc", "e")).isEqualTo(3);
        assertThat(looksToWrite()).isEqualTo(1);
        for (String foreign : new String[] {"a", "d", "e\0", "f", "z"}) {
            refused(() -> looksToWrite("b", "c", "e", foreign), ErrorKind.PERMISSION_DENIED);
        }
        change(
                new AuthChange.GrantPermission(
                        "r", new Permission(Permission.WRITE, Bytes.utf8("y"), NO_END)));
        assertThat(looksToWrite("y", "z")).isEqualTo(1);
        state.requireWriteOfAll(new Caller("root", 1), from -> Bytes.utf8("x"));
    }

    /** The errors are those of a check of each key; without keys there is none. */
    @Test
    void aCallerOfManyKeysIsChecked() {
        state.requireWriteOfAll(Caller.NONE, from -> Bytes.utf8("x"));
        enable();
        state.requireWriteOfAll(Caller.NONE, from -> null);
        refused(
                () -> state.requireWriteOfAll(Caller.NONE, from -> Bytes.utf8("x")),
                ErrorKind.USER_EMPTY);
        refused(
                () -> state.requireWriteOfAll(new Caller("eve", 1), from -> Bytes.utf8("x")),
                ErrorKind.AUTH_OLD_REVISION);
    }

    /** Checks that eve may write each of some keys; returns how often it looked for one. */
    private int looksToWrite(String... keys) {
        TreeSet<Bytes> sorted = new TreeSet<>();
        for (String key : keys) {
            sorted.add(Bytes.utf8(key));
        }
        AtomicInteger looks = new AtomicInteger();
        state.requireWriteOfAll(
                eve(),
                from -> {
                    looks.incrementAndGet();
                    return sorted.ceiling(from);
                });
        return looks.get();
    }

    @Test
    void anUnknownTypePermitsNothing() {
        enable();
        grant(7, "a", "z");
        assertThat(reads("b", "")).isFalse();
        refused(() -> state.requireWrite(eve(), span("b", "")), ErrorKind.PERMISSION_DENIED);
    }
}
