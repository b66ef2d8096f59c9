package io.brain.server.standby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.server.BrainServer;
import io.brain.server.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that follows one with users. */
class StandbyUsersTest {
    private static final String NO_USER = "INVALID_ARGUMENT: etcdserver: user name is empty";
    private static final String DENIED = "PERMISSION_DENIED: etcdserver: permission denied";
    private static final String INVALID = "UNAUTHENTICATED: etcdserver: invalid auth token";

    @TempDir private Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private StandbyClient source;
    private StandbyClient standby;
    private Path password;

    @BeforeEach
    void startSource() throws Exception {
        password = Files.writeString(directory.resolve("password"), Users.PASSWORD + "\n");
        source = start("source");
        source.put("app/1", "1");
        source.put("other", "1");
        Users.make(source.auth());
    }

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private StandbyClient start(String name, String... flags) throws Exception {
        BrainServer server = StandbyClient.server(directory.resolve(name), flags);
        opened.add(server);
        StandbyClient client = new StandbyClient(server.clientAddresses().get(0).getPort());
        opened.add(client);
        return client;
    }

    private void followAsRoot() throws Exception {
        standby =
                start(
                        "standby",
                        "--standby-of=" + source.url(),
                        "--standby-user=root",
                        "--standby-password-file=" + password);
    }

    private StandbyClient as(StandbyClient server, String user) {
        StandbyClient client = server.withToken(server.authenticate(user, Users.PASSWORD));
        opened.add(client);
        return client;
    }

    @Test
    void theSourceChecksCallsUntilTheCutoverAndTheStandbyAfterwards() throws Exception {
        Users.enable(source.auth());
        followAsRoot();
        StandbyClient root = as(standby, "root");
        StandbyClient alice = as(standby, "alice");
        assertThatThrownBy(() -> standby.serializable("app/1")).hasMessage(NO_USER);
        assertThatThrownBy(() -> standby.status()).hasMessage(NO_USER);
        assertThatThrownBy(() -> standby.watch(1)).hasMessageContaining("user name is empty");
        requirePermissions(root, alice);
        assertThatThrownBy(() -> root.addRole("r"))
                .hasMessageContaining("users and roles cannot be changed before the cutover");
        assertThatThrownBy(() -> root.disarm())
                .hasMessageContaining("alarms cannot be changed before the cutover");
        assertThat(root.status().getSource()).isNotZero();
        assertThatThrownBy(() -> alice.status()).hasMessage(DENIED);
        assertThatThrownBy(() -> alice.cutover()).hasMessage(DENIED);
        assertThat(root.hash()).isEqualTo(as(source, "root").hash());

        long revision = Users.revision(root.auth());
        assertThat(root.cutover().getRevision()).isPositive();
        assertThatThrownBy(() -> root.put("app/1", "2")).hasMessage(INVALID);
        assertThatThrownBy(() -> standby.serializable("app/1")).hasMessage(NO_USER);
        requirePermissions(as(standby, "root"), as(standby, "alice"));
        assertThat(Users.revision(as(standby, "root").auth())).isEqualTo(revision);
    }

    private static void requirePermissions(StandbyClient root, StandbyClient alice)
            throws Exception {
        assertThat(alice.get("app/1").getVersion()).isPositive();
        assertThat(alice.serializable("app/1").getCount()).isOne();
        assertThat(alice.put("app/2", "1")).isPositive();
        assertThatThrownBy(() -> alice.get("other")).hasMessage(DENIED);
        assertThatThrownBy(() -> alice.serializable("other")).hasMessage(DENIED);
        assertThatThrownBy(() -> alice.put("other", "2")).hasMessage(DENIED);
        assertThatThrownBy(() -> alice.watch(1)).hasMessageContaining("permission denied");
        assertThatThrownBy(() -> alice.hash()).hasMessage(DENIED);
        assertThat(root.put("other", "2")).isPositive();
        try (StandbyClient.Watch watch = root.watch(2)) {
            assertThat(watch.next().getEventsCount()).isPositive();
        }
    }

    @Test
    void authenticationThatBeginsLaterIsNoticed() throws Exception {
        standby = start("standby", "--standby-of=" + source.url());
        assertThat(standby.serializable("other").getCount()).isOne();
        Users.enable(source.auth());
        opened.remove(opened.size() - 1).close();
        opened.remove(opened.size() - 1).close();
        standby = start("standby", "--standby-of=" + source.url());
        Eventually.holds(() -> standby.denies("other"));
        StandbyClient alice = as(standby, "alice");
        assertThat(alice.get("app/1").getVersion()).isPositive();
        assertThatThrownBy(() -> alice.get("other")).hasMessage(DENIED);
    }

    @Test
    void aUserMayBeNamedBeforeAuthenticationBegins() throws Exception {
        followAsRoot();
        assertThat(standby.put("app/1", "2")).isPositive();
        Users.enable(source.auth());
        assertThatThrownBy(() -> standby.serializable("app/1")).hasMessage(NO_USER);
        StandbyClient root = as(standby, "root");
        assertThat(root.put("app/1", "3")).isPositive();
        // That calls are checked is not in the copy.
        Eventually.holds(() -> root.status().getTrouble().isEmpty());
        assertThatThrownBy(() -> root.cutover())
                .hasMessageContaining("users or roles of the source have changed");
    }
}
