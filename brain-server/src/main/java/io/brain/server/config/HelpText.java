package io.brain.server.config;

import io.brain.options.Option;
import io.brain.server.config.Flag.Effect;
import java.util.Locale;

/** What {@code --help} and {@code --version} print. */
final class HelpText {
    private HelpText() {}

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

    /** The first lines of the help; also printed after a usage error. */
    static String usage() {
        return """
        Usage:

          brain [flags]
            Start a server.

          brain check --data-dir DIR [flags]
            Read the whole store of a stopped server without changing it, and print a line for
            each damage found. Exit code 0: no damage, 1: damage, 2: not checked.

          brain export FILE --data-dir DIR | --storage tikv ... | --endpoints URL [options]
            Write all keys, with history and leases, into a file that etcdutl snapshot restore
            accepts. See brain export --help.

          brain import FILE --data-dir DIR [options] [flags]
            Fill a new store from a snapshot or a database file of etcd, from KubeBrain or from
            kine. See brain import --help.

          brain backup DIR --endpoints URL [options]
            Add a full or incremental backup of a running cluster. See brain backup --help.

          brain restore DIR --data-dir DIR | --endpoints URL --prefix TEXT [options] [flags]
            Restore from backups. See brain restore --help.

          brain verify A B [options]
            Compare two servers, files, stores or backups. See brain verify --help.

          brain try --from URL [options]
            Follow a running cluster, and compare its answers with Brain's. See brain try --help.

          brain migrate --back --from URL --to URL [--cutover] [options]
            Keep an etcd equal to a running cluster, and move to it. See brain migrate --help.

          brain place PREFIX STORE --endpoints URL [options]
            Move a prefix of a running server to another of its stores. See brain place --help.

          brain ctl COMMAND [options]
            Query a running server: status, stages, prefixes, watchers, leases, compaction; or
            run check with a progress display. See brain ctl --help.

          brain --version
            Show the version.

          brain -h | --help
            Show this text.
        """;
    }

    static String help() {
        StringBuilder text = new StringBuilder(usage());
        text.append("\netcd's flags, each also an environment variable (--name: ETCD_NAME):\n");
        appendAll(text, Effect.ETCD);
        text.append("\nBrain's flags (--storage: BRAIN_STORAGE):\n");
        appendAll(text, Effect.BRAIN);
        text.append("\netcd's flags that are accepted without effect:\n");
        appendNames(text, Effect.NONE);
        text.append("\netcd's flags that are not supported by this version:\n");
        appendNames(text, Effect.REFUSED);
        return text.toString();
    }

    private static void appendAll(StringBuilder text, Effect effect) {
        for (Flag flag : Flags.ALL) {
            if (flag.effect() == effect) {
                Option<?> option = flag.option();
                text.append("  ").append(option.flag()).append(" '").append(option.fallback());
                text.append("'\n    ").append(option.help()).append('\n');
            }
        }
    }

    private static void appendNames(StringBuilder text, Effect effect) {
        for (Flag flag : Flags.ALL) {
            if (flag.effect() == effect) {
                text.append("  ").append(flag.option().flag()).append('\n');
            }
        }
    }
}
