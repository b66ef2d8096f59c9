package io.brain.conformance.access;

import static io.brain.conformance.access.AuthCases.ALICE;
import static io.brain.conformance.access.UserCalls.ROOT;
import static io.brain.conformance.access.UserCalls.password;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.brain.conformance.compare.Entry;
import io.brain.conformance.script.Requests;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.ServerPair;
import io.brain.conformance.script.Session;
import io.brain.conformance.script.Verdict;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.proto.auth.Permission;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthStatusRequest;
import io.brain.proto.etcd.AuthenticateRequest;
import io.brain.proto.etcd.KVGrpc;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Users with JSON web tokens: issued, made elsewhere, expired, forged, malformed. */
@Tag("peer")
class JwtUsersTest {
    private static final String REFUSED = "UNAUTHENTICATED: etcdserver: invalid auth token";

    @TempDir private Path directory;

    @BeforeAll
    static void etcdIsThere() {
        var unused = Peer.ETCD.require();
    }

    @ParameterizedTest
    @ValueSource(strings = {"RS256", "ES256", "EdDSA", "HS256"})
    void brainAnswersAsEtcdDoes(String method) throws Exception {
        JwtMaker maker = new JwtMaker(method);
        Scenario scenario =
                Scenario.scenario(1, "users with " + method, session -> play(session, maker))
                        .onFreshServer(maker.flag(directory, ",ttl=20m"), "--bcrypt-cost=4");
        try (ServerPair pair = new ServerPair(ServerCommand.etcd(), ServerCommand.compared())) {
            Verdict verdict = pair.play(scenario);
            List<Entry> entries = verdict.reference().entries();
            System.out.printf(
                    "summary: JWT %s: %d checks, differences: %s%n",
                    method, entries.size(), verdict.passed() ? "none" : "some");
            assertThat(verdict.differences()).isEmpty();
            assertThat(entries.stream().filter(entry -> entry.value() instanceof Message))
                    .as("calls that are answered")
                    .hasSizeGreaterThan(20);
            assertThat(entries.stream().filter(entry -> entry.value().equals(REFUSED)))
                    .as("tokens that are refused")
                    .hasSizeGreaterThan(30);
        }
    }

    private static void play(Session session, JwtMaker maker) {
        Callers callers = new Callers(session);
        AuthCases.setUp(callers);
        UserCalls.grant("r", AuthCases.allowed(Permission.Type.READWRITE, "a", ""))
                .by(ROOT, callers);
        calls(callers, ALICE); // of an older revision
        callers.login(ALICE, "wrong");
        callers.login(ALICE, password(ALICE));
        callers.keep(ALICE, "alice before");
        calls(callers, ALICE);
        session.note("an issued token", issued(session));
        Map<String, String> tokens = MadeTokens.all(maker, revision(session));
        tokens.forEach(callers::give);
        for (String caller : tokens.keySet()) {
            calls(callers, caller);
        }
        for (Call<?, ?> change :
                List.of(
                        UserCalls.addRole("another"),
                        UserCalls.changePassword(ALICE, "new"),
                        UserCalls.deleteUser(ALICE))) {
            callers.login(ROOT, password(ROOT));
            change.by(ROOT, callers);
            calls(callers, "alice before");
            callers.login(ALICE, "new");
            calls(callers, ALICE);
        }
    }

    private static long revision(Session session) {
        return session.unrecorded()
                .call(AuthGrpc.getAuthStatusMethod(), AuthStatusRequest.getDefaultInstance())
                .get()
                .getAuthRevision();
    }

    /** Header and claims of a token, and in how many seconds it ends, rounded to 10. */
    private static String issued(Session session) {
        AuthenticateRequest request =
                AuthenticateRequest.newBuilder()
                        .setName(ALICE)
                        .setPassword(password(ALICE))
                        .build();
        String token =
                session.unrecorded()
                        .call(AuthGrpc.getAuthenticateMethod(), request)
                        .get()
                        .getToken();
        String text = JwtMaker.readable(token);
        Matcher end = Pattern.compile("\"exp\":(\\d+)").matcher(text);
        assertThat(end.find()).as(text).isTrue();
        long left = Long.parseLong(end.group(1)) - Instant.now().getEpochSecond();
        return end.replaceFirst("\"exp\":now+" + 10 * ((left + 9) / 10));
    }

    /** A read, a write, one that is not permitted, and two that need a user or root. */
    private static void calls(Callers callers, String caller) {
        callers.call(caller, KVGrpc.getRangeMethod(), Requests.get("a").build());
        callers.call(caller, KVGrpc.getPutMethod(), Requests.put("a", "1").build());
        callers.call(caller, KVGrpc.getPutMethod(), Requests.put("b", "1").build());
        UserCalls.getUser(ALICE).by(caller, callers);
        UserCalls.listUsers().by(caller, callers);
    }
}
