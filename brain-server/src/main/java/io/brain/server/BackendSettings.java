package io.brain.server;

import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.election.ElectionSettings;
import io.brain.backend.hash.HashSettings;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.server.config.BrainConfig;
import io.brain.server.process.ServerException;
import io.brain.server.process.TtlRulesFile;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Translates the server's configuration to backend settings. */
final class BackendSettings {
    private BackendSettings() {}

    static NodeSettings of(BrainConfig config, BackendRuntime runtime) throws ServerException {
        BrainConfig.Limits limits = config.limits();
        BrainConfig.Upkeep upkeep = config.upkeep();
        NodeSettings settings =
                NodeSettings.forHeap(Runtime.getRuntime().maxMemory())
                        .withKeyspace(config.cluster().keyspace())
                        .withElection(
                                new ElectionSettings(
                                        config.name(),
                                        texts(config.urls().advertisedPeers()),
                                        texts(config.urls().advertisedClients()),
                                        config.cluster().leaderLease(),
                                        process(),
                                        config.cluster().strictReads()))
                        .withLeaseCheckpoints(upkeep.leaseCheckpoints());
        return settings.withLimits(
                        new NodeSettings.Limits(
                                limits.quotaBytes(),
                                limits.requestBytesMax(),
                                Math.max(1, limits.txnOpsMax()), // the API refuses with 0
                                settings.limits().requestTimeout()))
                .withWatch(
                        settings.watch()
                                .withProgress(
                                        limits.watches().progressInterval(),
                                        limits.watches().progressBeforeCompaction()))
                .withResume(limits.watches().resumeRevisions())
                .withHash(HashSettings.withFile(config.dataDir().resolve("HASH")))
                .withRetention(upkeep.history().period(), upkeep.history().revisions())
                .withTtlRules(TtlRulesFile.open(upkeep.ttlRules(), runtime));
    }

    /** Describes this process, for log lines on other servers. */
    private static String process() {
        String host = System.getenv("HOSTNAME");
        try {
            host = host == null ? InetAddress.getLocalHost().getHostName() : host;
        } catch (UnknownHostException unnamed) {
            host = "unknown";
        }
        return "process %d on host %s, started %s"
                .formatted(
                        ProcessHandle.current().pid(),
                        host,
                        Instant.now().truncatedTo(ChronoUnit.SECONDS));
    }

    private static List<String> texts(List<URI> urls) {
        return urls.stream().map(URI::toString).toList();
    }
}
