package io.brain.server.command;

import io.brain.storage.Bytes;
import io.brain.transfer.etcd.KeyFilter;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Options that select keys: --prefix and --exclude-prefix. */
final class KeyOptions {
    private final OptionSpec prefix = Parameters.texts("--prefix");
    private final OptionSpec excludePrefix = Parameters.texts("--exclude-prefix");

    /** Adds both to a command. */
    KeyOptions(CommandSpec spec) {
        spec.addOption(prefix).addOption(excludePrefix);
    }

    KeyFilter filter() {
        return new KeyFilter(bytes(prefix), bytes(excludePrefix));
    }

    private static List<Bytes> bytes(OptionSpec option) {
        List<String> texts = option.getValue();
        return texts == null ? List.of() : texts.stream().map(Bytes::utf8).toList();
    }
}
