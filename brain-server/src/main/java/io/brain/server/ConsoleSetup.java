package io.brain.server;

import io.brain.admin.console.Console;
import io.brain.admin.console.Distribution;
import io.brain.admin.console.MonitoredServer;
import io.brain.backend.Node;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.server.config.BrainConfig;
import io.brain.server.config.Versions;
import io.brain.server.metrics.BackendMetrics;
import io.brain.server.metrics.MeteredBackend;
import java.util.Map;

/** Starts the admin console on the parts of a server. */
final class ConsoleSetup {
    private ConsoleSetup() {}

    static Console start(
            BrainConfig config,
            Node node,
            BackendRuntime runtime,
            BackendMetrics stages,
            MeteredBackend backend) {
        return new Console(
                new MonitoredServer(
                        node,
                        runtime,
                        settings(config),
                        () -> durations(stages, backend),
                        stages::compactions));
    }

    private static MonitoredServer.Settings settings(BrainConfig config) {
        return new MonitoredServer.Settings(
                config.name(),
                Versions.brain(),
                Versions.API,
                config.storage().engine(),
                config.cluster().keyspace(),
                autoCompaction(config.upkeep().history()),
                config.urls().keysShown());
    }

    private static String autoCompaction(BrainConfig.Retention retention) {
        if (!retention.period().isZero()) {
            return "keeps " + retention.period().toSeconds() + " s";
        }
        return retention.revisions() > 0 ? "keeps " + retention.revisions() + " revisions" : "off";
    }

    private static Map<String, Distribution> durations(
            BackendMetrics stages, MeteredBackend backend) {
        Map<String, Distribution> durations = stages.stages();
        durations.put("read", backend.readTimes());
        return durations;
    }
}
