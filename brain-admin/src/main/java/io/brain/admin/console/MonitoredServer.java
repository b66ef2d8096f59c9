package io.brain.admin.console;

import io.brain.backend.Node;
import io.brain.backend.runtime.BackendRuntime;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A running server as the admin endpoints see it. The suppliers are thread-safe and do not block.
 *
 * @param node answers reads; reports status, counters, watchers, leases and write traffic
 * @param runtime clock, timer and background threads
 * @param settings identity and settings
 * @param durations nanoseconds since the start, by name: write stages in order, then "write" and
 *     "read" for whole requests
 * @param compactions recent compactions, latest first
 */
public record MonitoredServer(
        Node node,
        BackendRuntime runtime,
        Settings settings,
        Supplier<Map<String, Distribution>> durations,
        Supplier<List<Compaction>> compactions) {
    /**
     * Identity and settings of a server.
     *
     * @param name of the member
     * @param version of the server
     * @param api release of etcd whose API is served
     * @param engine name of the storage engine
     * @param keyspace key prefix that separates clusters sharing one storage; may be empty
     * @param autoCompaction description of what auto-compaction keeps
     * @param keysShown whether endpoints show keys and values
     */
    public record Settings(
            String name,
            String version,
            String api,
            String engine,
            String keyspace,
            String autoCompaction,
            boolean keysShown) {}

    /**
     * A finished compaction.
     *
     * @param revision compact revision
     * @param nanos duration
     * @param endedAtMillis Unix time
     */
    public record Compaction(long revision, long nanos, long endedAtMillis) {}
}
