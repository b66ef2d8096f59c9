package io.brain.conformance.access;

import static io.brain.conformance.access.AuthCases.ALICE;
import static io.brain.conformance.access.AuthCases.allowed;
import static io.brain.conformance.access.AuthCases.setUp;
import static io.brain.conformance.access.Callers.NOBODY;
import static io.brain.conformance.access.UserCalls.ROOT;
import static io.brain.conformance.access.UserCalls.password;
import static io.brain.conformance.script.Requests.get;

import io.brain.conformance.script.Requests;
import io.brain.conformance.script.Session;
import io.brain.proto.auth.Permission;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthRoleGrantPermissionRequest;
import io.brain.proto.etcd.KVGrpc;
import java.util.List;

/** How users and roles are managed, and how users sign in. */
final class UserCases {
    private UserCases() {}

    static void manage(Callers c, Session s) {
        for (Call<?, ?> call :
                List.of(
                        UserCalls.status(),
                        UserCalls.listUsers(),
                        UserCalls.listRoles(),
                        UserCalls.addUser("", "x"),
                        UserCalls.addUser(ALICE, "x"),
                        UserCalls.addUser(ALICE, "y"),
                        UserCalls.addUser("silent", ""),
                        UserCalls.addUser("long", "p".repeat(72)),
                        UserCalls.addUser("longer", "p".repeat(73)),
                        UserCalls.addUserWithoutPassword("certified"),
                        UserCalls.getUser("nobody"),
                        UserCalls.getUser(""),
                        UserCalls.changePassword("nobody", "x"),
                        UserCalls.changePassword(ALICE, ""),
                        UserCalls.changePassword(ALICE, "p".repeat(73)),
                        UserCalls.changePassword("certified", "x"))) {
            call.by(NOBODY, c);
        }
        for (String user : List.of(ALICE, "nobody", "certified")) {
            for (String hash :
                    List.of("!!", "u1", "aGVsbG8", "aGVs\nbG8=", "\r\n", "aGVsbG8==", "=")) {
                UserCalls.changeHash(user, hash).by(NOBODY, c);
                UserCalls.status().by(NOBODY, c);
            }
        }
        roles(c);
    }

    private static void roles(Callers c) {
        for (Call<?, ?> call :
                List.of(
                        UserCalls.addRole(""),
                        UserCalls.addRole("r"),
                        UserCalls.addRole("r"),
                        UserCalls.addRole("a role"),
                        UserCalls.getRole("none"),
                        UserCalls.grantRole("nobody", "r"),
                        UserCalls.grantRole(ALICE, "none"),
                        UserCalls.grantRole(ALICE, "r"),
                        UserCalls.grantRole(ALICE, "r"),
                        UserCalls.grantRole(ALICE, "a role"),
                        UserCalls.revokeRole(ALICE, "none"),
                        UserCalls.revokeRole("nobody", "r"),
                        UserCalls.grant("none", allowed(Permission.Type.READ, "a", "")),
                        UserCalls.grant("r", allowed(Permission.Type.READ, "a", "")),
                        UserCalls.grant("r", allowed(Permission.Type.READ, "a", "")),
                        UserCalls.grant("r", allowed(Permission.Type.READWRITE, "a", "")),
                        UserCalls.grant("r", allowed(Permission.Type.WRITE, "b", "c")),
                        UserCalls.grant("r", allowed(Permission.Type.WRITE, "c", "b")),
                        UserCalls.grant("r", allowed(Permission.Type.WRITE, "c", "c")),
                        UserCalls.grant("r", allowed(Permission.Type.READ, "d", Requests.ZERO)),
                        UserCalls.grant("r", allowed(Permission.Type.READ, "", "")),
                        UserCalls.grant("r", allowed(Permission.Type.READ, "", "x")),
                        UserCalls.grant("r", allowed(Permission.Type.READ, "", Requests.ZERO)),
                        UserCalls.getRole("r"),
                        UserCalls.revoke("r", allowed(Permission.Type.READ, "b", "")),
                        UserCalls.revoke("r", allowed(Permission.Type.READ, "b", "c")),
                        UserCalls.revoke("none", allowed(Permission.Type.READ, "b", "c")),
                        UserCalls.getRole("r"),
                        UserCalls.getUser(ALICE),
                        UserCalls.listUsers(),
                        UserCalls.listRoles(),
                        UserCalls.deleteRole("none"),
                        UserCalls.deleteRole("r"),
                        UserCalls.getUser(ALICE),
                        UserCalls.deleteUser("nobody"),
                        UserCalls.deleteUser(ALICE),
                        UserCalls.status())) {
            call.by(NOBODY, c);
        }
        new Call<>(
                        AuthGrpc.getRoleGrantPermissionMethod(),
                        AuthRoleGrantPermissionRequest.newBuilder().setName("a role").build())
                .by(NOBODY, c);
    }

    static void underCorruption(Callers c, Session s) {
        s.alarm(AlarmAction.ACTIVATE, AlarmType.CORRUPT);
        manage(c, s);
        root(c, s);
    }

    static void root(Callers c, Session s) {
        c.login(ROOT, "x");
        UserCalls.disable().by(NOBODY, c);
        UserCalls.enable().by(NOBODY, c);
        UserCalls.addUser(ROOT, password(ROOT)).by(NOBODY, c);
        UserCalls.enable().by(NOBODY, c);
        UserCalls.grantRole(ROOT, ROOT).by(NOBODY, c);
        UserCalls.enable().by(NOBODY, c);
        UserCalls.enable().by(NOBODY, c);
        UserCalls.status().by(NOBODY, c);
        UserCalls.disable().by(NOBODY, c);
        c.login(ROOT, "wrong");
        c.login("", "");
        c.login("nobody", "x");
        c.login(ROOT, password(ROOT));
        for (Call<?, ?> call :
                List.of(
                        UserCalls.enable(),
                        UserCalls.addUserWithoutPassword("certified"),
                        UserCalls.addUser("silent", ""),
                        UserCalls.addUser(ALICE, password(ALICE)),
                        UserCalls.deleteUser(ROOT),
                        UserCalls.deleteRole(ROOT),
                        UserCalls.revokeRole(ROOT, ROOT),
                        UserCalls.grantRole(ROOT, ROOT),
                        UserCalls.getRole(ROOT),
                        UserCalls.getUser(ROOT),
                        UserCalls.addRole(ROOT),
                        UserCalls.listRoles(),
                        UserCalls.grant(ROOT, allowed(Permission.Type.READ, "a", "")),
                        UserCalls.grantRole(ALICE, ROOT))) {
            call.by(ROOT, c);
        }
        UserCalls.getUser("").by(NOBODY, c);
        UserCalls.getUser(ALICE).by(NOBODY, c);
        c.login("certified", "x");
        c.login("certified", "");
        c.login("silent", "");
        c.login("silent", "x");
        c.login(ALICE, password(ALICE));
        UserCalls.listUsers().by(ALICE, c);
        UserCalls.revokeRole(ALICE, ROOT).by(ALICE, c);
        UserCalls.listUsers().by(ALICE, c);
        UserCalls.changePassword(ALICE, "new").by(ALICE, c);
        UserCalls.changePassword(ROOT, "new").by(ROOT, c);
        UserCalls.listUsers().by(ROOT, c);
        c.login(ROOT, "new");
        UserCalls.disable().by(ROOT, c);
        UserCalls.disable().by(ROOT, c);
        c.login(ROOT, "new");
        UserCalls.deleteUser(ROOT).by(NOBODY, c);
        UserCalls.deleteRole(ROOT).by(NOBODY, c);
        UserCalls.enable().by(NOBODY, c);
        UserCalls.status().by(NOBODY, c);
    }

    static void tokens(Callers c, Session s) {
        setUp(c);
        var range = KVGrpc.getRangeMethod();
        var request = get("a").build();
        UserCalls.grant("r", allowed(Permission.Type.READ, "a", "")).by(ROOT, c);
        for (String scheme : List.of("", "Bearer ", "bearer ", "Basic ")) {
            s.note("scheme", scheme);
            var unused = c.callAuthorized(ALICE, scheme, range, request);
        }
        c.keep(ALICE, "former");
        c.login(ALICE, password(ALICE));
        for (Call<?, ?> change :
                List.of(
                        UserCalls.addRole("another"),
                        UserCalls.grantRole(ALICE, "another"),
                        UserCalls.changePassword(ALICE, "new"),
                        UserCalls.deleteUser(ALICE),
                        UserCalls.addUser(ALICE, "newer"))) {
            change.by(ROOT, c);
            for (String caller : List.of(ALICE, "former", "forger", "babbler")) {
                var unused = c.call(caller, range, request);
                UserCalls.getUser(ALICE).by(caller, c);
            }
            c.login(ALICE, "new");
        }
        c.login(ALICE, "newer");
        UserCalls.getUser(ALICE).by(ALICE, c);
        UserCalls.disable().by(ROOT, c);
        var unused = c.call("forger", range, request);
        UserCalls.enable().by(NOBODY, c);
        UserCalls.getUser(ALICE).by(ALICE, c);
        UserCalls.getUser(ALICE).by(ROOT, c);
        c.login(ROOT, password(ROOT));
        UserCalls.getUser(ALICE).by(ROOT, c);
        UserCalls.changeHash(ALICE, "bm8gaGFzaA==").by(ROOT, c);
        c.login(ALICE, "newer");
        c.login(ALICE, "");
    }
}
