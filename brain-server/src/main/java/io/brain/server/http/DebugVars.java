package io.brain.server.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.util.Map;

/**
 * The page /debug/vars under etcd's names: command line, limit of open files, and of Go's memory
 * statistics those that Java has. It has no raft.status.
 */
final class DebugVars {
    private static final String TYPE = "application/json; charset=utf-8";
    private static final long NANOS_PER_MILLI = 1_000_000;

    private DebugVars() {}

    static HttpAnswer answer() {
        StringBuilder body = new StringBuilder("{\n");
        String comma = "";
        for (Map.Entry<String, JsonElement> each : variables().entrySet()) {
            body.append(comma).append('"').append(each.getKey()).append("\": ");
            body.append(each.getValue());
            comma = ",\n";
        }
        return HttpAnswer.of(TYPE, body.append("\n}\n").toString());
    }

    private static Map<String, JsonElement> variables() {
        JsonObject all = new JsonObject();
        all.add("cmdline", commandLine());
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean os) {
            all.addProperty("file_descriptor_limit", os.getMaxFileDescriptorCount());
        }
        all.add("memstats", memory());
        return all.asMap();
    }

    private static JsonArray commandLine() {
        JsonArray words = new JsonArray();
        ProcessHandle.Info process = ProcessHandle.current().info();
        process.command().ifPresent(words::add);
        for (String word : process.arguments().orElse(new String[0])) {
            words.add(word);
        }
        return words;
    }

    private static JsonObject memory() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        MemoryUsage heap = memory.getHeapMemoryUsage();
        long collections = 0;
        long millis = 0;
        for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += Math.max(0, each.getCollectionCount());
            millis += Math.max(0, each.getCollectionTime());
        }
        JsonObject stats = new JsonObject();
        stats.addProperty("Alloc", heap.getUsed());
        stats.addProperty(
                "Sys", heap.getCommitted() + memory.getNonHeapMemoryUsage().getCommitted());
        stats.addProperty("HeapAlloc", heap.getUsed());
        stats.addProperty("HeapSys", heap.getCommitted());
        stats.addProperty("HeapIdle", heap.getCommitted() - heap.getUsed());
        stats.addProperty("HeapInuse", heap.getUsed());
        stats.addProperty("PauseTotalNs", millis * NANOS_PER_MILLI);
        stats.addProperty("NumGC", collections);
        return stats;
    }
}
