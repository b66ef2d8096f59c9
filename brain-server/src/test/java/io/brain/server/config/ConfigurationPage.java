package io.brain.server.config;

import io.brain.server.config.Flag.Effect;
import java.util.List;
import java.util.stream.Collectors;

/** docs/configuration.md, made from the flags. */
final class ConfigurationPage {
    private static final String HEAD =
            """
            # Configuration

            Made from the flags in the code: change them there, then run
            `./mvnw -pl brain-server -am test -Dtest=ConfigurationPageTest -Dtest.args=-Ddocs.write=true
            -Dsurefire.failIfNoSpecifiedTests=false`.

            A setting is a flag (`--name value`, `--name=value`, `-name`), or its variable, or a key of the file that
            `--config-file` names. A flag wins over its variable. As in etcd, a file is all there is if there is one:
            other flags and variables are ignored then, which a line of the log says. Brain's own are not: they win over
            the file, so that a file of etcd's can be used as it is. An unknown flag or key stops the start, with the
            nearest name; an unknown variable is named in the log. Keys that etcd had once and passes over today
            (`proxy`, `enable-v2`, `experimental-...` and the like) are named there, too.

            `./brain --config-print` and the other flags print what is in effect and where each value comes from, as such
            a file. Durations are Go's (`1h30m`, `100ms`); a bare number in a file counts nanoseconds, as in etcd's. Sizes are
            bytes, or have KiB, MiB, GiB or TiB. Lists have commas; in a file they may be YAML's.
            """;

    private ConfigurationPage() {}

    static String text() {
        StringBuilder page = new StringBuilder(HEAD);
        table(page, "etcd's flags", Effect.ETCD);
        table(page, "Brain's own", Effect.BRAIN);
        page.append(
                "\n"
                        + "Options of the engines:"
                        + " [operations.md](operations.md#options-of-the-storage).\n");
        page.append("\n## Accepted without effect\n\n");
        page.append(
                "They belong to raft, to etcd's files or to its tuning. One line of the log names"
                        + " those that are set.\n\n");
        page.append(names(Effect.NONE)).append('\n');
        page.append("\n## Not supported\n\n");
        page.append("What must not be ignored: any value but etcd's default stops the start.\n\n");
        page.append(names(Effect.REFUSED)).append('\n');
        return page.toString();
    }

    private static void table(StringBuilder page, String title, Effect effect) {
        page.append("\n## ").append(title).append("\n\n");
        page.append("| flag, variable, key in the file | default | |\n| --- | --- | --- |\n");
        for (Flag flag : of(effect)) {
            page.append("| `").append(flag.option()).append("`<br>`").append(flag.variable());
            page.append('`');
            if (!flag.name().startsWith("config-")) {
                page.append("<br>`").append(FileKeys.pathOf(flag.name())).append('`');
            }
            String fallback = flag.fallback().isEmpty() ? "" : "`" + flag.fallback() + "`";
            page.append(" | ").append(fallback).append(" | ");
            page.append(flag.help().replace("|", "\\|").replace("*", "\\*")).append(" |\n");
        }
    }

    private static String names(Effect effect) {
        return of(effect).stream()
                .map(flag -> "`" + flag.option() + "`")
                .collect(Collectors.joining(", "));
    }

    private static List<Flag> of(Effect effect) {
        return Flags.ALL.stream().filter(flag -> flag.effect() == effect).toList();
    }
}
