package io.brain.server.config;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Everything that can be set. Made from flags and environment by {@link CommandLineReader}; an
 * instance is always usable.
 *
 * @param name of this member
 * @param urls where this server listens and what it tells others
 * @param limits on what clients may do
 * @param upkeep what is done without a client's asking
 * @param log what is logged, and how
 * @param storage the engine
 * @param cluster what several servers on one storage have in common
 */
public record BrainConfig(
        String name,
        Urls urls,
        Limits limits,
        Upkeep upkeep,
        Log log,
        Storage storage,
        Cluster cluster) {
    /** Where an engine that keeps files keeps them. */
    public Path dataDir() {
        return storage.dataDir();
    }

    /**
     * Addresses.
     *
     * @param clients where to serve gRPC and, if it has no place of its own, HTTP; at least one
     * @param pages where to serve HTTP to clients; none: with gRPC
     * @param metrics where to serve only metrics and health
     * @param advertisedClients what the list of members shows
     * @param advertisedPeers what the list of members shows
     * @param tls certificates for all of these that are served over TLS
     * @param keysShown whether keys and values are shown to who can reach the metrics
     */
    public record Urls(
            List<Endpoint> clients,
            List<Endpoint> pages,
            List<Endpoint> metrics,
            List<URI> advertisedClients,
            List<URI> advertisedPeers,
            Tls tls,
            boolean keysShown) {
        /** Copies the lists. */
        public Urls {
            clients = List.copyOf(clients);
            pages = List.copyOf(pages);
            metrics = List.copyOf(metrics);
            advertisedClients = List.copyOf(advertisedClients);
            advertisedPeers = List.copyOf(advertisedPeers);
        }
    }

    /**
     * Where to listen.
     *
     * @param address of the internet, or of a socket in the file system
     * @param tls whether over TLS; an address may be there twice, with and without
     */
    public record Endpoint(SocketAddress address, boolean tls) {}

    /**
     * Limits on clients.
     *
     * @param quotaBytes most bytes to store; 0: no limit
     * @param requestBytesMax most bytes of a write
     * @param txnOpsMax most operations of a transaction
     * @param streamsMax most streams at a time on a connection
     * @param watchProgressInterval how often watchers that ask for it hear of progress
     * @param keepAlive of connections
     */
    public record Limits(
            long quotaBytes,
            int requestBytesMax,
            int txnOpsMax,
            int streamsMax,
            Duration watchProgressInterval,
            KeepAlive keepAlive) {
        /** What a message may have above {@link #requestBytesMax}, as in etcd. */
        private static final int MESSAGE_OVERHEAD = 512 * 1024;

        /** Most bytes of a message. */
        public int messageBytesMax() {
            return requestBytesMax + MESSAGE_OVERHEAD;
        }
    }

    /**
     * Pings on connections.
     *
     * @param minTime a client must leave this much between its pings
     * @param interval the server pings after so much silence; zero: never
     * @param timeout how long the server waits for the answer
     */
    public record KeepAlive(Duration minTime, Duration interval, Duration timeout) {}

    /**
     * What is done without a client's asking.
     *
     * @param history how much of it is kept
     * @param leaseCheckpoints whether what is left of long leases outlives a restart
     */
    public record Upkeep(Retention history, boolean leaseCheckpoints) {}

    /**
     * How much history is kept, if no client compacts it: a time or a number, not both.
     *
     * @param period zero: no matter how old
     * @param revisions 0: no matter how many
     */
    public record Retention(Duration period, long revisions) {
        /** All of it is kept. */
        public static final Retention ALL = new Retention(Duration.ZERO, 0);
    }

    /**
     * Logging.
     *
     * @param level least level that is logged
     * @param format of a line
     * @param output where lines go
     * @param slowBatch a batch of writes that takes longer is told of
     * @param calls what is told of calls
     */
    public record Log(Level level, Format format, Output output, Duration slowBatch, Calls calls) {
        /** Least level that is logged. */
        public enum Level {
            DEBUG,
            INFO,
            WARN,
            ERROR
        }

        /** Form of a line. */
        public enum Format {
            JSON,
            CONSOLE
        }

        /** Where lines go. */
        public enum Output {
            STDERR,
            STDOUT
        }
    }

    /**
     * What is logged of calls.
     *
     * @param slow a call that is no stream and takes longer is told of
     * @param traced whether lines about a call name its trace
     * @param access the log of all calls; null if there is none
     */
    public record Calls(Duration slow, boolean traced, Access access) {}

    /**
     * A log of all calls.
     *
     * @param file where it goes; null: to standard output
     * @param fileBytes the file is put aside, and a new one begun, when it has so many
     */
    public record Access(Path file, long fileBytes) {}

    /**
     * The storage engine.
     *
     * @param engine its name
     * @param dataDir where it keeps its files, if it has any
     * @param options for it, without data-dir
     */
    public record Storage(String engine, Path dataDir, Map<String, String> options) {
        /** Copies the map. */
        public Storage {
            options = Map.copyOf(options);
        }
    }

    /**
     * Servers on one storage.
     *
     * @param keyspace name of the cluster within the storage; empty: the one without a name
     * @param leaderLease how long a leader may be silent before another one leads
     * @param peers addresses to serve the other servers on; none if the storage is this server's
     * @param peersOverTls whether those are for TLS; then it has a server's identity
     * @param tls certificates
     */
    public record Cluster(
            String keyspace,
            Duration leaderLease,
            List<InetSocketAddress> peers,
            boolean peersOverTls,
            Tls tls) {
        /** Copies the list. */
        public Cluster {
            peers = List.copyOf(peers);
        }
    }

    /**
     * Certificates, as PEM files.
     *
     * @param server shown to who connects; null if there is none
     * @param client shown to whom this server connects to; null if there is none
     * @param trustedCa authorities that vouch for others; null: those that Java trusts
     * @param callers who may connect
     * @param protocols versions and cipher suites
     * @param selfSigned non-null if the server's identity is made if it is not there
     */
    public record Tls(
            Identity server,
            Identity client,
            Path trustedCa,
            Callers callers,
            Protocols protocols,
            SelfSigned selfSigned) {
        /** No files. */
        public static final Tls NONE =
                new Tls(
                        null,
                        null,
                        null,
                        new Callers(false, null, List.of(), List.of()),
                        new Protocols(List.of("TLS1.2", "TLS1.3"), List.of()),
                        null);
    }

    /**
     * A certificate, the ones between it and its authority, and its key.
     *
     * @param certificates one or more, the own one first
     * @param key not encrypted
     */
    public record Identity(Path certificates, Path key) {}

    /**
     * Who may connect.
     *
     * @param certificates whether they must show a certificate; the rest is of no use if not
     * @param revoked list of certificates that are not accepted; null if there is none
     * @param names common names, one of which a certificate must have; empty: any
     * @param hosts one of which a certificate must be for; empty: any
     */
    public record Callers(
            boolean certificates, Path revoked, List<String> names, List<String> hosts) {
        /** Copies the lists. */
        public Callers {
            names = List.copyOf(names);
            hosts = List.copyOf(hosts);
        }
    }

    /**
     * Ways to encrypt.
     *
     * @param versions TLS1.2, TLS1.3, or both
     * @param cipherSuites of TLS 1.2, by their names in TLS; empty: what is thought safe
     */
    public record Protocols(List<String> versions, List<String> cipherSuites) {
        /** Copies the lists. */
        public Protocols {
            versions = List.copyOf(versions);
            cipherSuites = List.copyOf(cipherSuites);
        }
    }

    /**
     * A certificate of the server's own making.
     *
     * @param hosts names and addresses that it is for
     * @param years for how long
     */
    public record SelfSigned(List<String> hosts, int years) {
        /** Copies the list. */
        public SelfSigned {
            hosts = List.copyOf(hosts);
        }
    }
}
