package io.brain.server.command;

import io.brain.admin.ctl.CtlCommand;
import io.brain.server.tls.ClientIdentity;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** The commands of {@code brain}; without one it runs the server. */
final class Commands {
    private Commands() {}

    /**
     * Runs the command that the first argument names; returns its exit code, or nothing if it names
     * none.
     *
     * @param stop completes when the process must stop
     */
    static OptionalInt run(List<String> args, CompletableFuture<Void> stop) {
        if (args.isEmpty()) {
            return OptionalInt.empty();
        }
        Map<String, String> environment = System.getenv();
        List<String> rest = args.subList(1, args.size());
        String name = args.get(0);
        return switch (name) {
            case CheckCommand.NAME ->
                    OptionalInt.of(CheckCommand.run(rest, environment, System.out));
            case CtlCommand.NAME -> OptionalInt.of(ctl(rest, environment));
            case WarmUpCommand.NAME ->
                    rest.isEmpty()
                            ? OptionalInt.of(WarmUpCommand.run(System.err))
                            : OptionalInt.empty();
            default -> {
                TransferCommand transfer = transfer(name);
                yield transfer == null
                        ? OptionalInt.empty()
                        : OptionalInt.of(
                                transfer.run(rest, environment, System.out, System.err, stop));
            }
        };
    }

    private static int ctl(List<String> args, Map<String, String> environment) {
        CtlCommand.Check check = flags -> CheckCommand.runForCtl(flags, environment, System.out);
        return new CtlCommand(System.out, System.err, check, ClientIdentity::context).run(args);
    }

    /** A command that moves data; null if none has the name. */
    private static TransferCommand transfer(String name) {
        return switch (name) {
            case ImportCommand.NAME -> new ImportCommand();
            case ExportCommand.NAME -> new ExportCommand();
            case VerifyCommand.NAME -> new VerifyCommand();
            case BackupCommand.NAME -> new BackupCommand();
            case RestoreCommand.NAME -> new RestoreCommand();
            case MigrateCommand.NAME -> new MigrateCommand();
            case TryCommand.NAME -> new TryCommand();
            case PlaceCommand.NAME -> new PlaceCommand();
            default -> null;
        };
    }
}
