package io.brain.server.config;

import io.brain.server.config.Flag.Effect;
import java.util.List;
import java.util.stream.Collectors;

/** docs/configuration.md, generated from the flags. */
final class ConfigurationPage {
    private static final String HEAD =
            """
            # Configuration

            Generated from the flags in the code by
            `./mvnw -pl brain-server -am test -Dtest=ConfigurationPageTest -Dtest.args=-Ddocs.write=true
            -Dsurefire.failIfNoSpecifiedTests=false`.

            Each setting is a flag (`--name value`, `--name=value`, `-name`), an environment variable, and a key of the file
            named by `--config-file`. A flag overrides its variable. With a file, etcd's flags and variables are ignored, as
            in etcd; Brain's own flags override the file. Unknown flags and keys stop the start; unknown variables, and keys
            that etcd ignores today (`proxy`, `enable-v2`, `experimental-...`), are logged. `./brain --config-print` prints
            the effective settings and their sources in the form of such a file.

            Durations use Go's format (`1h30m`, `100ms`); a bare number in a file is in nanoseconds, as in etcd. Sizes are
            bytes, or take KiB, MiB, GiB, TiB. List items are separated by commas; a file may use YAML lists.
            """;

    private ConfigurationPage() {}

    static String text() {
        StringBuilder page = new StringBuilder(HEAD);
        table(page, "etcd's flags", Effect.ETCD);
        table(page, "Brain's flags", Effect.BRAIN);
        page.append(
                "\n"
                        + "Options of the storage engines:"
                        + " [operations.md](operations.md#options-of-the-storage).\n");
        page.append("\n## Accepted without effect\n\n");
        page.append(
                "These flags belong to raft, to etcd's files, to its tuning or to older etcds. One"
                        + " log line names those that are set.\n\n");
        page.append(names(Effect.NONE)).append('\n');
        page.append("\n## Not supported\n\n");
        page.append("Any value other than etcd's default stops the start.\n\n");
        page.append(names(Effect.REFUSED)).append('\n');
        return page.toString();
    }

    private static void table(StringBuilder page, String title, Effect effect) {
        page.append("\n## ").append(title).append("\n\n");
        page.append("| flag, variable, file key | default | description |\n|---|---|---|\n");
        for (Flag flag : of(effect)) {
            page.append("| `")
                    .append(flag.option().flag())
                    .append("`<br>`")
                    .append(flag.variable());
            page.append('`');
            if (!flag.name().startsWith("config-")) {
                page.append("<br>`").append(FileKeys.pathOf(flag.name())).append('`');
            }
            String fallback =
                    flag.option().fallback().isEmpty() ? "" : "`" + flag.option().fallback() + "`";
            page.append(" | ").append(fallback).append(" | ");
            page.append(flag.option().help().replace("|", "\\|").replace("*", "\\*"))
                    .append(" |\n");
        }
    }

    private static String names(Effect effect) {
        return of(effect).stream()
                .map(flag -> "`" + flag.option().flag() + "`")
                .collect(Collectors.joining(", "));
    }

    private static List<Flag> of(Effect effect) {
        return Flags.ALL.stream().filter(flag -> flag.effect() == effect).toList();
    }
}
