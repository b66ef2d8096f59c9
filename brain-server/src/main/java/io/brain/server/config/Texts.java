package io.brain.server.config;

import io.brain.server.config.Flag.Effect;
import java.util.Locale;

/** What {@code --help} and {@code --version} print. */
final class Texts {
    private Texts() {}

    static String version() {
        return "etcd Version: "
                + Versions.API
                + "\nBrain Version: "
                + Versions.brain()
                + "\nJava Version: "
                + System.getProperty("java.version")
                + "\nOS/Arch: "
                + System.getProperty("os.name").toLowerCase(Locale.ROOT)
                + "/"
                + System.getProperty("os.arch")
                + "\n";
    }

    /** The first lines of the help; also shown after a mistake on the command line. */
    static String usage() {
        return """
        Usage:

          brain [flags]
            Start a server.

          brain check --data-dir DIR [flags]
            Read everything in the store of a stopped server, change nothing, and print a line
            for all that is damaged. Exit code 0: nothing is, 1: something is, 2: not checked.

          brain ctl COMMAND [options]
            Ask a server that runs: status, stages, prefixes, watchers, leases, compaction; or
            check, the same as above with how far it is. See brain ctl --help.

          brain --version
            Show the version.

          brain -h | --help
            Show this text.
        """;
    }

    static String help() {
        StringBuilder text = new StringBuilder(usage());
        text.append(
                "\nFlags, as etcd's; each can be set by its variable too (--name: ETCD_NAME):\n");
        appendAll(text, Effect.ETCD);
        text.append("\nBrain's own (--storage: BRAIN_STORAGE):\n");
        appendAll(text, Effect.BRAIN);
        text.append("\nAccepted for etcd's sake, without effect:\n");
        appendNames(text, Effect.NONE);
        text.append("\nNot supported by this version:\n");
        appendNames(text, Effect.REFUSED);
        return text.toString();
    }

    private static void appendAll(StringBuilder text, Effect effect) {
        for (Flag flag : Flags.ALL) {
            if (flag.effect() == effect) {
                text.append("  ").append(flag.option()).append(" '").append(flag.fallback());
                text.append("'\n    ").append(flag.help()).append('\n');
            }
        }
    }

    private static void appendNames(StringBuilder text, Effect effect) {
        for (Flag flag : Flags.ALL) {
            if (flag.effect() == effect) {
                text.append("  ").append(flag.option()).append('\n');
            }
        }
    }
}
