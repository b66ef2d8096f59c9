package io.brain.server.config;

import io.brain.options.Endpoints;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * All settings. Created and validated by {@link CommandLineReader}; immutable.
 *
 * @param name of this member
 * @param urls listen addresses, and URLs in the member list
 * @param auth authentication
 * @param limits on clients
 * @param upkeep background work
 * @param log logging
 * @param storage the engine
 * @param cluster settings of servers that share one storage
 * @param source cluster that the server follows; null: none
 */
public record BrainConfig(
        String name,
        Urls urls,
        Auth auth,
        Limits limits,
        Upkeep upkeep,
        Log log,
        Storage storage,
        Cluster cluster,
        Source source) {
    /** Data directory of engines that keep files. */
    public Path dataDir() {
        return storage.dataDir();
    }

    /**
     * Addresses.
     *
     * @param clients serve gRPC and, unless {@code pages} are set, HTTP; at least one
     * @param pages serve HTTP to clients; none: {@code clients} do
     * @param metrics serve metrics and health only
     * @param advertisedClients client URLs in the member list
     * @param advertisedPeers peer URLs in the member list
     * @param tls certificates of all endpoints served over TLS
     * @param keysShown whether the console shows keys and values
     * @param http HTTP on {@code clients} or {@code pages}
     */
    public record Urls(
            List<Endpoint> clients,
            List<Endpoint> pages,
            List<Endpoint> metrics,
            List<URI> advertisedClients,
            List<URI> advertisedPeers,
            Tls tls,
            boolean keysShown,
            Http http) {}

    /**
     * HTTP for clients.
     *
     * @param gateway whether the JSON gateway is served
     * @param origins of pages that may send requests; "*": all; at least one
     * @param profiles whether profiles are served
     */
    public record Http(boolean gateway, List<String> origins, boolean profiles) {}

    /**
     * A listen address.
     *
     * @param address TCP address or Unix socket
     * @param tls an address may be listed both with and without TLS
     */
    public record Endpoint(SocketAddress address, boolean tls) {}

    /**
     * Authentication.
     *
     * @param tokens kind of tokens, see {@code --auth-token}
     * @param tokenTtl of simple tokens, at least 1 s
     * @param passwordCost of bcrypt, 4 to 31
     * @param commonNames whether a client certificate names a user: only with --client-cert-auth,
     *     not with --trusted-ca-file alone
     */
    public record Auth(String tokens, Duration tokenTtl, int passwordCost, boolean commonNames) {}

    /**
     * Limits on clients.
     *
     * @param quotaBytes maximum stored bytes; 0: no limit
     * @param requestBytesMax maximum bytes of a write
     * @param txnOpsMax maximum operations of a transaction; 0: only empty ones
     * @param streamsMax maximum concurrent streams per connection
     * @param watches of watchers
     * @param keepAlive of connections
     */
    public record Limits(
            long quotaBytes,
            int requestBytesMax,
            int txnOpsMax,
            int streamsMax,
            Watches watches,
            KeepAlive keepAlive) {
        /** Allowed above {@link #requestBytesMax}, as in etcd. */
        private static final int MESSAGE_OVERHEAD = 512 * 1024;

        /** Maximum bytes of a message. */
        public int messageBytesMax() {
            return requestBytesMax + MESSAGE_OVERHEAD;
        }
    }

    /**
     * Notifications of watchers, and where they may start.
     *
     * @param progressInterval interval of progress notifications
     * @param progressBeforeCompaction whether there is one before each compaction, too
     * @param resumeRevisions how far below the compact revision a watcher may start
     */
    public record Watches(
            Duration progressInterval, boolean progressBeforeCompaction, long resumeRevisions) {}

    /**
     * Pings on connections.
     *
     * @param minTime minimum interval between client pings
     * @param interval idle time after which the server pings
     * @param timeout maximum time until the reply
     */
    public record KeepAlive(Duration minTime, Duration interval, Duration timeout) {}

    /**
     * Background work.
     *
     * @param history retention of history
     * @param leaseCheckpoints whether the remaining time of long leases survives a restart
     * @param ttlRules file of rules of expiry; null: none
     * @param warmUp whether the JVM compiles the write path before clients need it
     */
    public record Upkeep(
            Retention history, boolean leaseCheckpoints, Path ttlRules, boolean warmUp) {}

    /**
     * History that auto-compaction keeps: a period or a number, not both.
     *
     * @param period zero: unlimited
     * @param revisions 0: unlimited
     */
    public record Retention(Duration period, long revisions) {
        /** Auto-compaction is off. */
        public static final Retention ALL = new Retention(Duration.ZERO, 0);
    }

    /**
     * Logging.
     *
     * @param level minimum level
     * @param format line format
     * @param output destination
     * @param slowBatch limit above which a batch of writes is logged
     * @param calls logging of calls
     */
    public record Log(Level level, Format format, Output output, Duration slowBatch, Calls calls) {
        /** Minimum level. */
        public enum Level {
            DEBUG,
            INFO,
            WARN,
            ERROR
        }

        /** Line format. */
        public enum Format {
            JSON,
            CONSOLE
        }

        /** Destination. */
        public enum Output {
            STDERR,
            STDOUT
        }
    }

    /**
     * Logging of calls.
     *
     * @param slow limit above which a unary call is logged
     * @param traced whether log lines about a call contain its trace ID
     * @param access access log; null for none
     */
    public record Calls(Duration slow, boolean traced, Access access) {}

    /**
     * The access log, of all calls.
     *
     * @param file null: standard output
     * @param fileBytes size at which the file is rotated
     */
    public record Access(Path file, long fileBytes) {}

    /**
     * The storage engine.
     *
     * @param engine its name
     * @param dataDir directory of its files, if any
     * @param options without data-dir
     * @param placed stores for prefixes that are placed on them
     */
    public record Storage(
            String engine, Path dataDir, Map<String, String> options, List<PlacedStore> placed) {
        /** A storage without placed stores. */
        public Storage(String engine, Path dataDir, Map<String, String> options) {
            this(engine, dataDir, options, List.of());
        }
    }

    /**
     * A store for prefixes that are placed on it.
     *
     * @param name lower-case letters, digits and '-'; not "base"
     * @param keyspace name within the storage; empty for rocksdb
     */
    public record PlacedStore(String name, Storage storage, String keyspace) {}

    /**
     * A running cluster that the server follows.
     *
     * @param trusted CA bundle that verifies its servers, PEM; null: Java's default
     * @param certificate for them, PEM; null: none
     * @param key of the certificate, PEM; null: none
     * @param user with the role root; null: calls without a user
     * @param passwordFile the user's password; null: no user
     */
    public record Source(
            Endpoints servers,
            Path trusted,
            Path certificate,
            Path key,
            String user,
            Path passwordFile) {}

    /**
     * Servers that share one storage.
     *
     * @param keyspace name of the cluster within the storage; may be empty
     * @param leaderLease time after which an unrenewed leadership ends
     * @param strictReads whether reads need a commit that proves the leadership
     * @param strictAdd whether a member is added only to a healthy cluster
     * @param peers listen addresses for other servers; none if the storage is not shared
     * @param peersOverTls whether {@code peers} use TLS; then {@code tls} has a server identity
     * @param tls certificates
     */
    public record Cluster(
            String keyspace,
            Duration leaderLease,
            boolean strictReads,
            boolean strictAdd,
            List<InetSocketAddress> peers,
            boolean peersOverTls,
            Tls tls) {}

    /**
     * Certificates, as PEM files.
     *
     * @param server presented to clients; null for none
     * @param client presented to servers; null for none
     * @param trustedCa CA bundle; null: Java's
     * @param callers accepted clients
     * @param protocols versions and cipher suites
     * @param selfSigned non-null if a missing server identity is generated
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
     * A certificate chain and its key.
     *
     * @param certificates one or more, the leaf first
     * @param key not encrypted
     */
    public record Identity(Path certificates, Path key) {}

    /**
     * Accepted clients.
     *
     * @param certificates whether a certificate is required; otherwise the rest is ignored
     * @param revoked certificate revocation list; null for none
     * @param names allowed common names; empty: any
     * @param hosts allowed host names; empty: any
     */
    public record Callers(
            boolean certificates, Path revoked, List<String> names, List<String> hosts) {}

    /**
     * TLS versions and cipher suites.
     *
     * @param versions TLS1.2, TLS1.3, or both
     * @param cipherSuites of TLS 1.2, by their TLS names; empty: a secure default
     */
    public record Protocols(List<String> versions, List<String> cipherSuites) {}

    /**
     * A generated certificate.
     *
     * @param hosts its names and addresses
     * @param years its validity
     */
    public record SelfSigned(List<String> hosts, int years) {}
}
