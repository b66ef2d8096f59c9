package io.brain.backend.read;

import io.brain.backend.fair.Tenant;
import java.util.Map;

/**
 * The response budget in two tiers, so that small reads do not wait for large ones. A read starts
 * in the small tier; one that needs more moves to the large tier.
 *
 * @param firstBytes bytes that a read starts with
 */
public record BudgetTiers(ResponseBudget small, ResponseBudget large, long firstBytes) {
    /** A message of gRPC has at most 2 GiB; the fields around the KeyValues need little. */
    private static final long MESSAGE_BYTES_MAX = Integer.MAX_VALUE - (1 << 20);

    private static final int SMALL_FRACTION = 8;
    private static final int SMALL_READS_MIN = 16;
    private static final long FIRST_BYTES_MAX = 64 << 10;

    /** The tiers of a node's response budget. */
    public static BudgetTiers of(ReadSettings settings) {
        long smallBytes = settings.responseBytesMax() / SMALL_FRACTION;
        return new BudgetTiers(
                new ResponseBudget(smallBytes),
                new ResponseBudget(settings.responseBytesMax() - smallBytes),
                Math.min(FIRST_BYTES_MAX, smallBytes / SMALL_READS_MIN));
    }

    /**
     * The tier in which a read starts. Of a client that holds more of the small tier than is left,
     * because it does not read its answers or has many, that is the large one: it does not hold up
     * the small reads of others.
     */
    ResponseBudget first(Tenant tenant) {
        return small.isAboveShare(tenant) ? large : small;
    }

    long held() {
        return small.held() + large.held();
    }

    int waiting() {
        return small.waiting() + large.waiting();
    }

    void countWaiting(Map<Tenant, Integer> numbers) {
        small.countWaiting(numbers);
        large.countWaiting(numbers);
    }

    long bytesMax() {
        return small.bytesMax() + large.bytesMax();
    }

    /** Limit of a single answer, which may exceed the budget when no other one is held. */
    long answerBytesMax() {
        return Math.min(bytesMax() + bytesMax() / 2, MESSAGE_BYTES_MAX);
    }

    void close() {
        small.close();
        large.close();
    }
}
