package io.brain.bench.shape;

import io.brain.proto.etcd.RangeRequest;

/**
 * A range request, and the expected answer.
 *
 * @param request encoded
 * @param items keys in the answer
 * @param count keys in the range, regardless of the limit
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Range(byte[] request, int items, long count) {

    /** A request for a range with {@code count} keys. */
    static Range of(RangeRequest.Builder request, long count) {
        long limit = request.getLimit();
        long items = limit == 0 ? count : Math.min(limit, count);
        return new Range(request.build().toByteArray(), (int) items, count);
    }
}
