package io.brain.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.brain.server.config.CommandLineReader;
import io.brain.server.config.ConfigException;
import io.brain.server.etcd.ClusterClient;
import io.brain.server.placement.PlacementClient;
import io.brain.storage.Bytes;
import io.brain.storage.placed.PlacedStorage;
import io.brain.storage.placed.Placement;
import io.brain.storage.placed.Placement.State;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code brain place}: moves a prefix to another store of a running server, or lists all. */
final class PlaceCommand extends TransferCommand {
    static final String NAME = "place";

    private static final Duration STEP = Duration.ofMillis(100);

    private static final String HELP =
            """
            Usage: brain place PREFIX STORE --endpoints URL [--no-wait] [options]
                   brain place --endpoints URL [options]

            Moves all keys with a prefix, and their history, to a store of a running server: one of
            its --placed-store, or base, the data directory. Clients notice nothing: reads, writes
            and watches continue, revisions stay. One prefix moves at a time. Moving it to the
            store where it still is cancels its move. Waits until the former copy is deleted, too.

            Without PREFIX: lists what is placed where, and how far a move is.

            Options
              --no-wait                 return when the move has begun; it goes on in the server,
                                        also after a restart
            """
                    + EndpointOptions.HELP
                    + """

                    Exit codes
                      0   moved, begun or listed
                      1   failed; a line says why
                      2   invalid command line
                    """;

    private final PositionalParamSpec prefix = Parameters.position(0);
    private final PositionalParamSpec store = Parameters.position(1);
    private final OptionSpec noWait = Parameters.flag("--no-wait");
    private final EndpointOptions endpoints = new EndpointOptions(spec());

    PlaceCommand() {
        super(NAME, HELP);
        spec().addPositional(prefix).addPositional(store).addOption(noWait);
    }

    @Override
    int run(CommandLineReader.Tool flags) throws IOException, GeneralSecurityException {
        endpoints.check();
        String wanted = prefix.getValue();
        String target = store.getValue();
        if (wanted != null && target == null) {
            throw ConfigException.usage("missing parameter: STORE");
        }
        try (ClusterClient server = endpoints.open()) {
            var client = new PlacementClient(endpoints.servers().toString(), server.channel());
            if (wanted == null) {
                list(client.list());
                return DONE;
            }
            client.place(wanted, target);
            if (noWait.getValue() == null) {
                await(wanted, client);
                out().println("moved " + wanted + " to " + target);
            } else {
                out().println("moving " + wanted + " to " + target);
            }
            return DONE;
        }
    }

    private void list(PlacementClient.Listed all) {
        out().println("stores: base, " + String.join(", ", all.stores()));
        all.placements().forEach(one -> out().println(text(one)));
    }

    private void await(String wanted, PlacementClient client) throws IOException {
        while (true) {
            PlacedStorage.Status unfinished =
                    client.list().placements().stream()
                            .filter(one -> one.placement().prefix().equals(Bytes.utf8(wanted)))
                            .filter(one -> one.placement().state() != State.PLACED)
                            .findFirst()
                            .orElse(null);
            if (unfinished == null) {
                return;
            }
            if (isStopped()) {
                throw new IOException("stopped; the move goes on in the server");
            }
            show(text(unfinished));
            pause();
        }
    }

    private static void pause() throws InterruptedIOException {
        try {
            Thread.sleep(STEP.toMillis());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    private static String text(PlacedStorage.Status one) {
        Placement placement = one.placement();
        String text = new String(placement.prefix().array(), UTF_8) + " on " + placement.store();
        if (placement.state() == State.PLACED) {
            return text;
        }
        text += placement.state() == State.MOVING ? ", moving to " : ", clearing ";
        text += placement.other() + ": %d keys, %d bytes".formatted(one.keys(), one.bytes());
        return one.trouble() == null ? text : text + ", waits: " + one.trouble();
    }
}
