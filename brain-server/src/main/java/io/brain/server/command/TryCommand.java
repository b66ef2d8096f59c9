package io.brain.server.command;

import io.brain.options.Endpoints;
import io.brain.options.HostPort;
import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import io.brain.server.config.ConfigException;
import io.brain.server.etcd.ClusterClient;
import io.brain.server.gateway.RecordedReads;
import io.brain.server.process.ServerException;
import io.brain.server.trial.Trial;
import io.brain.transfer.etcd.WorkDirectory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.OptionSpec;

/** {@code brain try}: follows a cluster for some minutes, and compares its answers with Brain's. */
final class TryCommand extends TransferCommand {
    static final String NAME = "try";

    private static final int GOOD = 0;
    private static final int DIFFERENT = 1;
    private static final int NOT_COMPARED = 2;

    private static final Duration TIME = Duration.ofMinutes(10);
    private static final long RATE = 10;
    private static final long STEP_MILLIS = 100;

    private static final String HELP =
            """
            Usage: brain try --from URL [options]

            Says whether Brain would serve a running cluster of etcd. It copies the cluster into a
            temporary store, follows it, and compares answers of both for some minutes. The cluster
            itself serves all calls, and is not changed.

            The answers come from clients that use the proxy of --listen in place of the cluster,
            and from reads of its own: a list, or ranges of keys that are found. Ranges are compared
            at the revision of the cluster's answer; changes, by applying each revision, and at the
            end by the hash of the whole history. Watches and other calls pass the proxy only.

            Options
              --time TIME               how long, such as 1h (default: 10m); the signals INT and TERM
                                        end it, too
              --listen HOST:PORT        address of the proxy, without TLS (default: none)
              --reads FILE              ranges to ask for in turn: on each line the JSON of a request
                                        to /v3/kv/range
              --rate NUMBER             own reads in a second (default: 10)
              --work-dir DIR            for the temporary store (default: the system's)
            """
                    + EndpointOptions.FROM_HELP
                    + """

                    Exit codes
                      0   no answer differs, and Brain serves all calls
                      1   an answer or the history differs, or Brain does not serve a call
                      2   not compared; a line says why
                    """;

    private final OptionSpec time =
            Parameters.option("--time", Duration.class).converters(Parameters::time).build();
    private final OptionSpec listen =
            Parameters.option("--listen", Endpoints.class)
                    .converters(EndpointOptions::servers)
                    .build();
    private final OptionSpec reads = Parameters.option("--reads", Path.class).build();
    private final OptionSpec rate = Parameters.option("--rate", Long.class).build();
    private final OptionSpec workDir = Parameters.option("--work-dir", Path.class).build();
    private final EndpointOptions from = EndpointOptions.withoutUser(spec(), "from");

    TryCommand() {
        super("compare", HELP);
        spec().addOption(time).addOption(listen).addOption(reads).addOption(rate);
        spec().addOption(workDir);
    }

    @Override
    int failed() {
        return NOT_COMPARED;
    }

    @Override
    int run(CommandLineReader.Tool flags)
            throws IOException, ServerException, GeneralSecurityException {
        InetSocketAddress proxy = proxy();
        List<byte[]> recorded =
                reads.getValue() == null ? List.of() : RecordedReads.of(reads.getValue());
        try (ClusterClient source = from.open();
                WorkDirectory work = WorkDirectory.open(Parameters.directory(workDir))) {
            URI url = freeUrl();
            show("copying the cluster");
            try (BrainServer server = standby(work.path(), url);
                    ClusterClient brain =
                            new ClusterClient(
                                    new Endpoints(List.of(url)),
                                    new ClusterClient.Tls(null, null, null),
                                    null);
                    Trial trial =
                            new Trial(
                                    endpoint(source, from.servers().urls().get(0), from.http()),
                                    endpoint(brain, url, HttpClient.newHttpClient()),
                                    proxy,
                                    recorded)) {
                compare(trial, server);
                Trial.Verdict verdict = trial.verdict();
                verdict.lines().forEach(out()::println);
                return verdict.good() ? GOOD : DIFFERENT;
            }
        } catch (InterruptedException stopped) {
            throw new InterruptedIOException("interrupted");
        }
    }

    private InetSocketAddress proxy() {
        Endpoints listened = listen.getValue();
        if (listened == null) {
            return null;
        }
        HostPort at = HostPort.of(listened.urls().get(0));
        InetSocketAddress address = new InetSocketAddress(at.host(), at.port());
        if (address.isUnresolved()) {
            throw ConfigException.usage("--listen: unknown host " + at.host());
        }
        return address;
    }

    private static Trial.Endpoint endpoint(ClusterClient client, URI url, HttpClient http) {
        return new Trial.Endpoint(client.cluster(), client.channel(), http, url);
    }

    private static URI freeUrl() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return URI.create("http://127.0.0.1:" + free.getLocalPort());
        }
    }

    private BrainServer standby(Path work, URI url) throws ServerException {
        List<String> args = new ArrayList<>();
        args.add("--data-dir=" + work.resolve("data"));
        args.add("--listen-client-urls=" + url);
        args.add("--advertise-client-urls=" + url);
        args.addAll(from.standbyFlags());
        return BrainServer.start(CommandLineReader.read(args, Map.of()).config());
    }

    private void compare(Trial trial, BrainServer server) throws InterruptedException {
        Duration max = time.getValue() == null ? TIME : time.getValue();
        long perSecond = rate.getValue() == null ? RATE : Parameters.number(rate);
        long began = System.nanoTime();
        long asked = 0;
        while (!isStopped() && server.broken().getNow(null) == null) {
            long nanos = System.nanoTime() - began;
            if (nanos >= max.toNanos()) {
                return;
            }
            if (asked * TimeUnit.SECONDS.toNanos(1) < nanos * perSecond) {
                trial.read();
                asked++;
            } else {
                show(trial.progress());
                Thread.sleep(Math.max(1, Math.min(STEP_MILLIS, 1000 / Math.max(1, perSecond))));
            }
        }
    }
}
