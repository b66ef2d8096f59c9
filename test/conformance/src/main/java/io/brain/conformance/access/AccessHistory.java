package io.brain.conformance.access;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import java.util.List;
import java.util.Random;

/**
 * Made-up calls of root, of users with up to three roles, of a deleted user, of callers with wrong
 * tokens and without one, while users, roles and permissions change; from a seed. Requests do not
 * depend on answers, so that servers that agree get the same ones.
 */
public final class AccessHistory {
    /** Hashing is not what is compared. */
    private static final String CHEAP_PASSWORDS = "--bcrypt-cost=4";

    /** Callers in proportion to their calls; "gone" has the token of a deleted user. */
    private static final List<String> CALLERS =
            List.of(
                    "u0",
                    "u0",
                    "u1",
                    "u1",
                    "u2",
                    "u2",
                    "u3",
                    "u3",
                    "u4",
                    "u4",
                    UserCalls.ROOT,
                    UserCalls.ROOT,
                    Callers.NOBODY,
                    "forger",
                    "babbler",
                    "gone");

    private final Random random;
    private final KeyCalls keys;
    private final OtherCalls others;
    private final UserCalls users;
    private final Callers callers;

    private AccessHistory(long seed, Session session) {
        this.random = new Random(seed);
        this.keys = new KeyCalls(random);
        this.others = new OtherCalls(random, keys);
        this.users = new UserCalls(random, keys);
        this.callers = new Callers(session);
    }

    /**
     * A scenario of that many calls, after those that set up users and roles.
     *
     * @param seed also its number, for reports
     */
    public static Scenario scenario(int seed, int calls) {
        return Scenario.scenario(
                        seed,
                        "calls of users, made up from seed " + seed,
                        session -> new AccessHistory(seed, session).play(calls))
                .onFreshServer(CHEAP_PASSWORDS);
    }

    private void play(int calls) {
        setUp();
        for (int i = 0; i < calls; i++) {
            one();
        }
    }

    private void setUp() {
        by(Callers.NOBODY, UserCalls.enable());
        by(Callers.NOBODY, UserCalls.addUser(UserCalls.ROOT, UserCalls.password(UserCalls.ROOT)));
        by(Callers.NOBODY, UserCalls.enable());
        by(Callers.NOBODY, UserCalls.grantRole(UserCalls.ROOT, UserCalls.ROOT));
        for (String role : UserCalls.ROLES) {
            by(Callers.NOBODY, UserCalls.addRole(role));
            for (int i = random.nextInt(4); i > 0; i--) {
                by(Callers.NOBODY, UserCalls.grant(role, keys.permission()));
            }
        }
        for (String user : UserCalls.USERS) {
            by(Callers.NOBODY, UserCalls.addUser(user, UserCalls.password(user)));
            for (int i = random.nextInt(4); i > 0; i--) {
                by(Callers.NOBODY, UserCalls.grantRole(user, users.role()));
            }
        }
        by(Callers.NOBODY, UserCalls.addUser("gone", UserCalls.password("gone")));
        by(Callers.NOBODY, UserCalls.addUserWithoutPassword("certified"));
        for (int i = 0; i < 20; i++) {
            by(Callers.NOBODY, keys.next());
        }
        by(Callers.NOBODY, UserCalls.enable());
        signIn();
        by(UserCalls.ROOT, UserCalls.deleteUser("gone"));
    }

    private void signIn() {
        login(UserCalls.ROOT);
        UserCalls.USERS.forEach(this::login);
        login("gone");
        login("certified");
    }

    private void login(String user) {
        callers.login(user, UserCalls.password(user));
    }

    private void one() {
        String caller = CALLERS.get(random.nextInt(CALLERS.size()));
        int kind = random.nextInt(100);
        if (kind < 62) {
            by(caller, keys.next());
        } else if (kind < 74) {
            by(caller, others.lease());
        } else if (kind < 84) {
            by(caller, others.next(caller.equals(UserCalls.ROOT)));
            if (random.nextInt(4) == 0) {
                by(UserCalls.ROOT, OtherCalls.disarm());
            }
        } else if (kind < 90) {
            by(caller, users.read());
        } else if (kind < 92) {
            by(caller, users.change());
        } else if (kind < 97) {
            by(UserCalls.ROOT, users.change());
        } else if (kind < 99) {
            String user = users.user();
            callers.login(user, random.nextInt(4) == 0 ? "wrong" : UserCalls.password(user));
        } else if (random.nextInt(3) == 0) {
            turnOffAndOn();
        }
    }

    private void turnOffAndOn() {
        by(UserCalls.ROOT, UserCalls.disable());
        for (int i = 0; i < 10; i++) {
            by(CALLERS.get(random.nextInt(CALLERS.size())), keys.next());
        }
        by(Callers.NOBODY, UserCalls.enable());
        by("u0", keys.next());
        signIn();
    }

    private void by(String caller, Call<?, ?> call) {
        call.by(caller, callers);
    }
}
