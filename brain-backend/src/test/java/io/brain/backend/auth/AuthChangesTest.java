package io.brain.backend.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.brain.storage.Bytes;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuthChangesTest {
    private AuthState state = AuthState.INITIAL;

    private void change(AuthChange change) {
        state = AuthChanges.apply(state, change);
    }

    private void refused(AuthChange change, ErrorKind kind) {
        AuthState before = state;
        assertThatThrownBy(() -> change(change))
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(kind));
        assertThat(state).isSameAs(before);
    }

    private void enable() {
        change(new AddUser("root", Bytes.utf8("hash"), false));
        change(new GrantRole("root", "root"));
        change(new Enable(Bytes.utf8("key")));
    }

    private static Permission permission(int type, String key, String end) {
        return new Permission(type, Bytes.utf8(key), Bytes.utf8(end));
    }

    @Test
    void everyChangeButEnableCounts() {
        assertThat(state.revision()).isEqualTo(1);
        enable();
        assertThat(state.revision()).isEqualTo(3);
        assertThat(state.enabled()).isTrue();
        change(new Disable());
        assertThat(state.revision()).isEqualTo(4);
        change(new Disable());
        assertThat(state.revision()).isEqualTo(4);
    }

    @Test
    void theVersionGrowsAlsoWhenTheRevisionDoesNot() {
        change(new AddUser("root", Bytes.EMPTY, false));
        change(new GrantRole("root", "root"));
        long before = state.version();
        change(new Enable(Bytes.utf8("key")));
        assertThat(state.version()).isGreaterThan(before);
        before = state.version();
        change(new Disable());
        assertThat(state.version()).isGreaterThan(before);
    }

    @Test
    void enablingNeedsTheUserRootWithTheRoleRoot() {
        refused(new Enable(Bytes.utf8("key")), ErrorKind.ROOT_USER_MISSING);
        change(new AddUser("root", Bytes.EMPTY, false));
        refused(new Enable(Bytes.utf8("key")), ErrorKind.ROOT_ROLE_MISSING);
    }

    @Test
    void enablingAgainKeepsTheTokenKey() {
        enable();
        change(new Enable(Bytes.utf8("other")));
        assertThat(state.tokenKey()).isEqualTo(Bytes.utf8("key"));
        change(new Disable());
        change(new Enable(Bytes.utf8("other")));
        assertThat(state.tokenKey()).isEqualTo(Bytes.utf8("other"));
    }

    @Test
    void rootStaysWhileEnabled() {
        enable();
        refused(new DeleteUser("root"), ErrorKind.INVALID_AUTH_MANAGEMENT);
        refused(new DeleteRole("root"), ErrorKind.INVALID_AUTH_MANAGEMENT);
        refused(new RevokeRole("root", "root"), ErrorKind.INVALID_AUTH_MANAGEMENT);
        change(new Disable());
        change(new RevokeRole("root", "root"));
        change(new DeleteUser("root"));
        assertThat(state.users()).isEmpty();
    }

    @Test
    void usersAndRolesHaveEtcdsErrors() {
        refused(new AddUser("", Bytes.EMPTY, false), ErrorKind.USER_EMPTY);
        refused(new AddRole(""), ErrorKind.ROLE_EMPTY);
        change(new AddUser("eve", Bytes.EMPTY, false));
        change(new AddRole("r"));
        refused(new AddUser("eve", Bytes.EMPTY, false), ErrorKind.USER_EXISTS);
        refused(new AddRole("r"), ErrorKind.ROLE_EXISTS);
        refused(new DeleteUser("bob"), ErrorKind.USER_NOT_FOUND);
        refused(new ChangePassword("bob", Bytes.EMPTY), ErrorKind.USER_NOT_FOUND);
        refused(new GrantRole("bob", "none"), ErrorKind.USER_NOT_FOUND);
        refused(new GrantRole("eve", "none"), ErrorKind.ROLE_NOT_FOUND);
        refused(new RevokeRole("eve", "r"), ErrorKind.ROLE_NOT_GRANTED);
        refused(new DeleteRole("none"), ErrorKind.ROLE_NOT_FOUND);
        refused(
                new GrantPermission("none", permission(0, "", "")),
                ErrorKind.INVALID_AUTH_MANAGEMENT);
        refused(
                new GrantPermission("none", permission(0, "b", "a")),
                ErrorKind.INVALID_AUTH_MANAGEMENT);
        refused(new GrantPermission("none", permission(0, "b", "")), ErrorKind.ROLE_NOT_FOUND);
        refused(
                new RevokePermission("r", Bytes.utf8("k"), Bytes.EMPTY),
                ErrorKind.PERMISSION_NOT_GRANTED);
    }

    @Test
    void aGrantedRoleIsNotGrantedAgain() {
        change(new AddUser("eve", Bytes.EMPTY, false));
        change(new AddRole("r"));
        change(new GrantRole("eve", "r"));
        long revision = state.revision();
        change(new GrantRole("eve", "r"));
        assertThat(state.revision()).isEqualTo(revision);
    }

    @Test
    void aDeletedRoleIsRevoked() {
        change(new AddUser("eve", Bytes.EMPTY, false));
        change(new AddRole("a"));
        change(new AddRole("b"));
        change(new GrantRole("eve", "b"));
        change(new GrantRole("eve", "a"));
        assertThat(state.user("eve").roles()).containsExactly("a", "b");
        change(new DeleteRole("a"));
        assertThat(state.user("eve").roles()).containsExactly("b");
    }

    @Test
    void aPermissionOfTheSameKeysIsReplaced() {
        change(new AddRole("r"));
        change(new GrantPermission("r", permission(0, "b", "")));
        change(new GrantPermission("r", permission(1, "a", "c")));
        change(new GrantPermission("r", permission(2, "b", "")));
        assertThat(state.role("r").permissions())
                .containsExactly(permission(1, "a", "c"), permission(2, "b", ""));
        change(new RevokePermission("r", Bytes.utf8("a"), Bytes.utf8("c")));
        assertThat(state.role("r").permissions()).containsExactly(permission(2, "b", ""));
    }

    @Test
    void tokensEndWithThePasswordAndTheUser() {
        change(new AddUser("eve", Bytes.utf8("1"), false));
        long created = state.user("eve").generation();
        change(new ChangePassword("eve", Bytes.utf8("2")));
        long changed = state.user("eve").generation();
        assertThat(changed).isGreaterThan(created).isEqualTo(state.revision());
        change(new DeleteUser("eve"));
        change(new AddUser("eve", Bytes.utf8("2"), false));
        assertThat(state.user("eve").generation()).isGreaterThan(changed);
    }

    @Test
    void aUserWithoutAPasswordGetsNone() {
        change(new AddUser("eve", Bytes.utf8("hash"), true));
        change(new ChangePassword("eve", Bytes.utf8("hash")));
        assertThat(state.user("eve").passwordHash()).isEqualTo(Bytes.EMPTY);
    }

    @Test
    void aStateIsBounded() {
        change(new AddRole("r"));
        String key = "k".repeat(1 << 20);
        change(new GrantPermission("r", permission(0, key + 1, "")));
        change(new GrantPermission("r", permission(0, key + 2, "")));
        change(new GrantPermission("r", permission(0, key + 3, "")));
        refused(new GrantPermission("r", permission(0, key + 4, "")), ErrorKind.TOO_MANY_REQUESTS);
        change(new DeleteRole("r"));
    }

    @Test
    void aNameIsAKeyOfADatabaseOfEtcd() {
        String longest = "\u00e4".repeat(16 << 10);
        change(new AddUser(longest, Bytes.EMPTY, true));
        change(new AddRole(longest));
        String longer = longest + "x";
        refused(new AddUser(longer, Bytes.EMPTY, true), ErrorKind.REQUEST_TOO_LARGE);
        refused(new AddRole(longer), ErrorKind.REQUEST_TOO_LARGE);
    }

    @Test
    void noTextHasASecret() {
        enable();
        change(new AddUser("eve", Bytes.utf8("secret"), false));
        List<Object> shown =
                List.of(
                        state,
                        state.user("eve"),
                        state.record(),
                        new AddUser("eve", Bytes.utf8("secret"), false),
                        new ChangePassword("eve", Bytes.utf8("secret")),
                        new Enable(Bytes.utf8("key")));
        assertThat(shown)
                .extracting(Object::toString)
                .noneMatch(text -> text.contains("secret") || text.contains("key"))
                .noneMatch(text -> text.contains(Bytes.utf8("secret").toString()))
                .noneMatch(text -> text.contains(Bytes.utf8("key").toString()));
    }

    @Test
    void theEncodedStateIsTheSame() {
        enable();
        change(new AddRole("r"));
        change(new GrantPermission("r", permission(2, "a", "\0")));
        change(new AddUser("eve", Bytes.utf8("h"), true));
        change(new GrantRole("eve", "r"));
        AuthState decoded = AuthCodec.decode(AuthCodec.encode(state));
        assertThat(decoded.users()).isEqualTo(state.users());
        assertThat(decoded.roles()).isEqualTo(state.roles());
        assertThat(decoded.record()).isEqualTo(state.record());
    }
}
