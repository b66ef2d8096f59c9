package io.brain.bench.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.TxnRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestsTest {

    private static final KeySpace PODS = new KeySpace("/registry/pods/", 100);
    private static final byte[] VALUE = Requests.value(300);

    @Test
    void keysLookLikeThoseOfKubernetes() {
        assertThat(new String(PODS.key(123_456_712), StandardCharsets.US_ASCII))
                .isEqualTo("/registry/pods/ns-00012/pod-123456712");
        assertThat(PODS.key(5)).hasSize(PODS.length());
        assertThatThrownBy(() -> PODS.key(1_000_000_000))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theEndOfAKeySpaceFollowsAllKeys() {
        assertThat(Arrays.compareUnsigned(PODS.end(), PODS.key(999_999_999))).isPositive();
    }

    @Test
    void aTemplateEncodesTheRequestForAnyKey() throws Exception {
        PutRequest put = PutRequest.parseFrom(Requests.put(PODS, VALUE).of(4711));

        assertThat(put.getKey().toByteArray()).isEqualTo(PODS.key(4711));
        assertThat(put.getValue().toByteArray()).isEqualTo(VALUE);
        assertThat(RangeRequest.parseFrom(Requests.get(PODS).of(8)).getKey().toByteArray())
                .isEqualTo(PODS.key(8));
    }

    @Test
    void aCreateRequiresAbsence() throws Exception {
        TxnRequest txn = TxnRequest.parseFrom(Requests.create(PODS, VALUE).of(77, 0));

        assertGuard(txn, 77, 0);
        assertThat(txn.getSuccess(0).getRequestPut().getKey().toByteArray())
                .isEqualTo(PODS.key(77));
        assertThat(txn.getFailureCount()).isZero();
    }

    @Test
    void anUpdateRequiresARevisionOrReads() throws Exception {
        for (long revision : new long[] {1, 127, 128, 1L << 35, Long.MAX_VALUE}) {
            TxnRequest txn = TxnRequest.parseFrom(Requests.update(PODS, VALUE).of(9, revision));

            assertGuard(txn, 9, revision);
            assertThat(txn.getSuccess(0).getRequestPut().getKey().toByteArray())
                    .isEqualTo(PODS.key(9));
            assertThat(txn.getFailure(0).getRequestRange().getKey().toByteArray())
                    .isEqualTo(PODS.key(9));
        }
    }

    @Test
    void aDeleteRequiresARevisionOrReads() throws Exception {
        TxnRequest txn = TxnRequest.parseFrom(Requests.delete(PODS).of(100_000, 12));

        assertGuard(txn, 100_000, 12);
        assertThat(txn.getSuccess(0).getRequestDeleteRange().getKey().toByteArray())
                .isEqualTo(PODS.key(100_000));
        assertThat(txn.getFailure(0).getRequestRange().getKey().toByteArray())
                .isEqualTo(PODS.key(100_000));
    }

    @Test
    void cursorReadsStayWithinTheKeySpace() throws Exception {
        KeySpace bucket = new KeySpace("/bucket/", 1);
        RangeRequest first = Requests.first(bucket, 7).build();
        RangeRequest last = Requests.last(bucket, 7).build();

        assertThat(first.getKey().toByteArray()).isEqualTo(bucket.key(7));
        assertThat(first.getRangeEnd().toByteArray()).isEqualTo(bucket.end());
        assertThat(first.getSortOrder()).isEqualTo(RangeRequest.SortOrder.NONE);
        assertThat(last.getKey().toStringUtf8()).isEqualTo("/bucket/");
        assertThat(last.getRangeEnd().toByteArray()).isEqualTo(bucket.key(7));
        assertThat(last.getSortOrder()).isEqualTo(RangeRequest.SortOrder.DESCEND);
        assertThat(last.getSortTarget()).isEqualTo(RangeRequest.SortTarget.KEY);
        assertThat(List.of(first.getLimit(), last.getLimit())).containsOnly(1L);
    }

    @Test
    void aNamespacesPrefixCoversItsKeysAndNoOthers() {
        byte[] prefix = PODS.namespace(12);

        assertThat(new String(prefix, StandardCharsets.US_ASCII))
                .isEqualTo("/registry/pods/ns-00012/");
        assertThat(new String(KeySpace.after(prefix), StandardCharsets.US_ASCII))
                .isEqualTo("/registry/pods/ns-000120");
    }

    private static void assertGuard(TxnRequest txn, long number, long revision) {
        assertThat(txn.getCompareList())
                .singleElement()
                .satisfies(
                        compare -> {
                            assertThat(compare.getTarget()).isEqualTo(Compare.CompareTarget.MOD);
                            assertThat(compare.getResult()).isEqualTo(Compare.CompareResult.EQUAL);
                            assertThat(compare.hasModRevision()).isTrue();
                            assertThat(compare.getModRevision()).isEqualTo(revision);
                            assertThat(compare.getKey().toByteArray()).isEqualTo(PODS.key(number));
                        });
    }
}
