package io.brain.conformance.cluster.kube;

import java.io.IOException;
import java.util.List;

/**
 * A kube-apiserver's own count of its consistent reads of one resource.
 *
 * @param served from the watch cache, after it had caught up
 * @param other those that failed or fell back to the store
 */
record CacheReads(long served, long other) {

    static CacheReads of(KubeClient kube, String resource)
            throws IOException, InterruptedException {
        List<String> lines =
                kube.text("/metrics")
                        .lines()
                        .filter(l -> l.startsWith("apiserver_watch_cache_consistent_read_total{"))
                        .filter(l -> l.contains("resource=\"" + resource + "\""))
                        .toList();
        long all = lines.stream().mapToLong(CacheReads::value).sum();
        long served =
                lines.stream()
                        .filter(l -> l.contains("fallback=\"false\""))
                        .filter(l -> l.contains("success=\"true\""))
                        .mapToLong(CacheReads::value)
                        .sum();
        return new CacheReads(served, all - served);
    }

    private static long value(String line) {
        return Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
    }
}
