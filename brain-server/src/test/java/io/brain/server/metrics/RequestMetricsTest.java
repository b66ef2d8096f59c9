package io.brain.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.Compare;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Request metrics; the expected counts are etcd's, see MetricsPagesTest. */
class RequestMetricsTest {
    private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Op PUT =
            new Op.Put(Bytes.utf8("key"), Bytes.utf8("value"), 0, false, false, false);
    private static final Op PUT_PREV =
            new Op.Put(Bytes.utf8("k"), Bytes.utf8("v"), 0, true, false, false);
    private static final Op DELETE = new Op.Delete(KeySpan.of(Bytes.utf8("key")), false);
    private static final Op RANGE = new Op.Range(RangeQuery.of(KeySpan.of(Bytes.utf8("key"))));
    private static final OpResult DONE = new OpResult.Put(2, null);

    private final OperationCounts counts = new OperationCounts();
    private final RequestTimes times = new RequestTimes(SLOW);

    @Test
    void aTransactionCountsTheOperationsOfItsBranch() {
        Txn inner = new Txn(List.of(compare()), List.of(PUT, RANGE), List.of());
        Txn outer =
                new Txn(List.of(compare()), List.of(DELETE), List.of(new Op.Nested(inner), PUT));
        OpResult.Txn innerDone = new OpResult.Txn(2, true, List.of(DONE, DONE));
        counts.txn(outer, new OpResult.Txn(2, false, List.of(innerDone, DONE)));
        assertCounts(3, 2, 0, 1);
        assertThat(page().value("etcd_debugging_mvcc_total_put_size_in_bytes")).isEqualTo(16);
    }

    @Test
    void aSingleOperationCountsAsTransactionOnlyIfItReads() {
        counts.txn(Txn.of(PUT), new OpResult.Txn(2, true, List.of(DONE)));
        counts.txn(Txn.of(DELETE), new OpResult.Txn(3, true, List.of(DONE)));
        assertCounts(0, 1, 1, 0);
        counts.txn(Txn.of(PUT_PREV), new OpResult.Txn(4, true, List.of(DONE)));
        assertCounts(1, 2, 1, 1);
    }

    @Test
    void requestsThatTookLongerThanTheLimitAreSlow() {
        times.record(RequestTimes.RequestType.PUT, true, SLOW);
        times.record(RequestTimes.RequestType.PUT, true, SLOW + 1);
        times.record(RequestTimes.RequestType.RANGE, false, SLOW + 1);
        Page page = page();
        assertThat(page.value("etcd_server_slow_apply_total")).isEqualTo(2);
        String request = "etcd_server_request_duration_seconds_count";
        assertThat(page.value(request + "{success=\"true\",type=\"Put\"}")).isEqualTo(2);
        assertThat(page.value(request + "{success=\"false\",type=\"Range\"}")).isEqualTo(1);
        assertThat(page.value("etcd_server_range_duration_seconds_count{success=\"false\"}"))
                .isEqualTo(1);
    }

    private static Compare compare() {
        return new Compare(
                KeySpan.of(Bytes.utf8("key")),
                Compare.Target.VERSION,
                Compare.Relation.EQUAL,
                0,
                Bytes.EMPTY);
    }

    private Page page() {
        MetricsText text = new MetricsText();
        counts.writeTo(text);
        times.writeTo(text);
        return Page.read(text.toString());
    }

    private void assertCounts(int ranges, int puts, int deletes, int txns) {
        Page page = page();
        assertThat(
                        List.of(
                                page.value("etcd_mvcc_range_total"),
                                page.value("etcd_mvcc_put_total"),
                                page.value("etcd_mvcc_delete_total"),
                                page.value("etcd_mvcc_txn_total")))
                .containsExactly((double) ranges, (double) puts, (double) deletes, (double) txns);
    }
}
