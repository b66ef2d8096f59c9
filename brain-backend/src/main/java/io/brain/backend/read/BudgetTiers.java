package io.brain.backend.read;

import io.brain.backend.read.ResponseBudget.Grant;
import java.util.concurrent.CompletableFuture;

/**
 * The two parts of the response budget: a small one that every read begins in, and a large one for
 * reads that need more.
 *
 * @param firstBytes what a read begins with
 */
public record BudgetTiers(ResponseBudget small, ResponseBudget large, long firstBytes) {
    private static final int SMALL_PART = 8;
    private static final int SMALL_READS_MIN = 16;
    private static final long FIRST_BYTES_MAX = 64 << 10;

    /** The two tiers of a node's response budget. */
    public static BudgetTiers of(ReadSettings settings) {
        int readsMax = settings.readsMax();
        long smallBytes = settings.responseBytesMax() / SMALL_PART;
        return new BudgetTiers(
                new ResponseBudget(smallBytes, readsMax),
                new ResponseBudget(settings.responseBytesMax() - smallBytes, readsMax),
                Math.min(FIRST_BYTES_MAX, smallBytes / SMALL_READS_MIN));
    }

    /**
     * What a read needs to begin.
     *
     * @param surely not to be refused, however many wait
     */
    CompletableFuture<Grant> first(boolean surely) {
        return reserve(small, firstBytes, surely);
    }

    /** What a read needs that has its answer, without waiting; null if there is no room now. */
    Grant firstNow(long bytes) {
        return small.tryReserve(bytes);
    }

    /** What a read needs that gave up for want of room. */
    CompletableFuture<Grant> more(long bytes, boolean surely) {
        return reserve(large, bytes, surely);
    }

    /** A grant in the large part, without waiting; null if that is not possible now. */
    Grant moreNow(long bytes) {
        Grant grant = large.tryReserve(2 * bytes);
        return grant != null ? grant : large.tryReserve(bytes);
    }

    long held() {
        return small.held() + large.held();
    }

    int waiting() {
        return small.waiting() + large.waiting();
    }

    long bytesMax() {
        return small.bytesMax() + large.bytesMax();
    }

    /**
     * Bytes of the largest answer that is made, when no other is held: more would fill the heap.
     */
    long answerBytesMax() {
        return bytesMax() + bytesMax() / 2;
    }

    void close() {
        small.close();
        large.close();
    }

    private static CompletableFuture<Grant> reserve(
            ResponseBudget part, long bytes, boolean surely) {
        return surely ? part.reserveSurely(bytes) : part.reserve(bytes);
    }
}
