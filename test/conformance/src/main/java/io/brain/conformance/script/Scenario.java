package io.brain.conformance.script;

import java.util.List;

/**
 * One numbered behaviour, as a script that is played to both servers.
 *
 * @param number its number in the list of behaviours; from 201 on: not in that list
 * @param sentence what is shown
 * @param fresh whether it needs a server that has never been written to
 * @param flags the server's flags, in etcd's names
 * @param isLeftToChance its outcome is, rarely: played again if it differs
 */
public record Scenario(
        int number,
        String sentence,
        boolean fresh,
        List<String> flags,
        Script script,
        boolean isLeftToChance) {

    public Scenario {
        flags = List.copyOf(flags);
    }

    /** What the client does. */
    @FunctionalInterface
    public interface Script {
        void play(Session session) throws Exception;
    }

    /** A scenario on a server with an empty keyspace, no leases and no alarms. */
    public static Scenario scenario(int number, String sentence, Script script) {
        return new Scenario(number, sentence, false, List.of(), script, false);
    }

    /** The same scenario on a fresh server with these flags. */
    public Scenario onFreshServer(String... serverFlags) {
        return new Scenario(number, sentence, true, List.of(serverFlags), script, isLeftToChance);
    }

    /**
     * The same scenario, whose outcome is left to chance, rarely: by a race in etcd, or by a clock
     * that a machine that stalls for a second does not keep; to be said why.
     */
    public Scenario leftToChance() {
        return new Scenario(number, sentence, fresh, flags, script, true);
    }

    /** "6. A limit cuts the answer". */
    public String title() {
        return number + ". " + sentence;
    }
}
