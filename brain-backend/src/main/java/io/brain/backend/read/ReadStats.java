package io.brain.backend.read;

import io.brain.backend.fair.Tenant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * State of the reads, for metrics.
 *
 * @param pending reads between submission and answer
 * @param pendingMax limit of pending reads
 * @param waiting reads that wait for the response budget, those of committed transactions included
 * @param heldBytes bytes of answers held by running reads and by the transport
 * @param heldBytesMax the response budget
 * @param refused reads refused since start because too many were pending
 * @param waitingMost the tenants with the most reads that wait for the response budget or a reader
 *     thread, largest first
 */
public record ReadStats(
        int pending,
        int pendingMax,
        int waiting,
        long heldBytes,
        long heldBytesMax,
        long refused,
        List<Waiting> waitingMost) {
    private static final int TENANTS_MAX = 10;

    /**
     * The reads of a tenant that wait.
     *
     * @param name of the user, or address of the client
     */
    public record Waiting(String name, int reads) {
        static List<Waiting> most(Map<Tenant, Integer> numbers) {
            return numbers.entrySet().stream()
                    .filter(entry -> !entry.getKey().equals(Tenant.SERVER))
                    .map(entry -> new Waiting(entry.getKey().name(), entry.getValue()))
                    .sorted(Comparator.comparingInt(Waiting::reads).reversed())
                    .limit(TENANTS_MAX)
                    .toList();
        }
    }
}
