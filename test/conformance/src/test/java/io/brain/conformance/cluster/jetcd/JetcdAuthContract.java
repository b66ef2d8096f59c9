package io.brain.conformance.cluster.jetcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.auth.Permission;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

abstract class JetcdAuthContract extends JetcdFixture {
    /** Longer than a busy machine takes from one call of a user to the next one. */
    private static final long TOKEN_SECONDS = 15;

    /** etcd looks for expired tokens once a second. */
    private static final long EXPIRED_SECONDS = TOKEN_SECONDS + 5;

    /** Tokens that soon expire, and cheap passwords. */
    static final List<String> FLAGS =
            List.of("--auth-token-ttl=" + TOKEN_SECONDS, "--bcrypt-cost=4");

    private static final ByteSequence ROOT = bytes("root");
    private static final ByteSequence ALICE = bytes("alice");
    private static final ByteSequence APP = bytes("app");
    private static final ByteSequence PASSWORD = bytes("a password");
    private static final String DENIED = "permission denied";
    private static final String FAILED = "authentication failed, invalid user ID or password";

    private Client root;
    private Client alice;

    @BeforeAll
    final void turnOn() throws Exception {
        Auth auth = client().getAuthClient();
        answer(auth.userAdd(ROOT, PASSWORD));
        answer(auth.roleAdd(ROOT));
        answer(auth.userGrantRole(ROOT, ROOT));
        answer(auth.userAdd(ALICE, PASSWORD));
        answer(auth.roleAdd(APP));
        grant(auth, APP, "app/", "app0", Permission.Type.READWRITE);
        answer(auth.userGrantRole(ALICE, APP));
        answer(auth.authEnable());
    }

    /** Of these, the Auth client does not renew a token that has expired. */
    @BeforeEach
    final void signIn() {
        root = as(ROOT, PASSWORD).build();
        alice = as(ALICE, PASSWORD).build();
    }

    @AfterEach
    final void closeClients() {
        root.close();
        alice.close();
    }

    @Test
    void permissionsDecide() throws Exception {
        answer(put(alice, "app/a"));
        answer(alice.getKVClient().get(bytes("app/a")));
        assertRefused(put(alice, "other/a")).hasMessageContaining(DENIED);
        assertRefused(alice.getKVClient().get(bytes("other/a"))).hasMessageContaining(DENIED);
        assertRefused(alice.getAuthClient().userList()).hasMessageContaining(DENIED);
        assertRefused(put(client(), "app/a")).hasMessageContaining("user name is empty");
    }

    @Test
    void wrongPasswordIsRefused() {
        for (ByteSequence user : List.of(ALICE, bytes("stranger"))) {
            try (Client wrong = as(user, bytes("wrong")).build()) {
                assertRefused(put(wrong, "app/a")).rootCause().hasMessageContaining(FAILED);
            }
        }
    }

    @Test
    void anExpiredTokenIsRenewed() throws Exception {
        SeenStatuses seen = new SeenStatuses();
        try (Client patient = as(ALICE, PASSWORD).interceptor(seen).build()) {
            answer(put(patient, "app/token"));
            assertThat(seen.statuses()).doesNotContain("Put UNAUTHENTICATED");
            Thread.sleep(1_000 * EXPIRED_SECONDS);
            answer(put(patient, "app/token"));
            assertThat(seen.statuses()).contains("Put UNAUTHENTICATED");
        }
    }

    @Test
    void usersAreManaged() throws Exception {
        Auth auth = root.getAuthClient();
        ByteSequence bob = bytes("bob");
        answer(auth.userAdd(bob, PASSWORD));
        assertRefused(auth.userAdd(bob, PASSWORD)).hasMessageContaining("user name already exists");
        assertThat(answer(auth.userList()).getUsers()).contains("alice", "bob", "root");
        answer(auth.userGrantRole(bob, APP));
        assertThat(answer(auth.userGet(bob)).getRoles()).containsExactly("app");
        try (Client first = as(bob, PASSWORD).build()) {
            answer(put(first, "app/bob"));
            answer(auth.userChangePassword(bob, bytes("another password")));
            assertRefused(put(first, "app/bob")).rootCause().hasMessageContaining(FAILED);
        }
        try (Client second = as(bob, bytes("another password")).build()) {
            answer(put(second, "app/bob"));
            answer(auth.userRevokeRole(bob, APP));
            assertRefused(put(second, "app/bob")).hasMessageContaining(DENIED);
        }
        answer(auth.userDelete(bob));
        assertRefused(auth.userGet(bob)).hasMessageContaining("user name not found");
    }

    @Test
    void rolesAreManaged() throws Exception {
        Auth auth = root.getAuthClient();
        ByteSequence reader = bytes("reader");
        answer(auth.roleAdd(reader));
        assertRefused(auth.roleAdd(reader)).hasMessageContaining("role name already exists");
        grant(auth, reader, "read/", "read0", Permission.Type.READ);
        assertThat(answer(auth.roleList()).getRoles()).contains("app", "reader", "root");
        List<Permission> permissions = answer(auth.roleGet(reader)).getPermissions();
        assertThat(permissions).hasSize(1);
        assertThat(permissions.get(0).getPermType()).isEqualTo(Permission.Type.READ);
        assertThat(permissions.get(0).getKey()).isEqualTo(bytes("read/"));
        answer(auth.userGrantRole(ALICE, reader));
        answer(alice.getKVClient().get(bytes("read/a")));
        assertRefused(put(alice, "read/a")).hasMessageContaining(DENIED);
        answer(auth.roleRevokePermission(reader, bytes("read/"), bytes("read0")));
        assertRefused(alice.getKVClient().get(bytes("read/a"))).hasMessageContaining(DENIED);
        answer(auth.roleDelete(reader));
        assertThat(answer(auth.userGet(ALICE)).getRoles()).containsExactly("app");
    }

    @Test
    void turningItOffLetsEverybodyIn() throws Exception {
        answer(root.getAuthClient().authDisable());
        answer(put(client(), "other/open"));
        answer(client().getAuthClient().authEnable());
        assertRefused(put(client(), "other/open")).hasMessageContaining("user name is empty");
        answer(put(alice, "app/again"));
    }

    private ClientBuilder as(ByteSequence user, ByteSequence password) {
        return Client.builder().endpoints(endpoint()).user(user).password(password);
    }

    private static CompletableFuture<?> put(Client client, String key) {
        return client.getKVClient().put(bytes(key), bytes("1"));
    }

    private static void grant(
            Auth auth, ByteSequence role, String key, String end, Permission.Type type)
            throws Exception {
        answer(auth.roleGrantPermission(role, bytes(key), bytes(end), type));
    }
}
