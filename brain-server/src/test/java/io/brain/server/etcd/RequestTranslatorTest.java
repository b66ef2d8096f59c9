package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare.Relation;
import io.brain.backend.model.Compare.Target;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.model.Txn;
import io.brain.backend.watch.WatchRequest;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchCreateRequest.FilterType;
import io.brain.storage.Bytes;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestTranslatorTest {
    private static final ByteString A = ByteString.copyFromUtf8("a");
    private static final ByteString B = ByteString.copyFromUtf8("b");
    private static final Bytes KEY = Bytes.utf8("a");
    private static final Bytes END = Bytes.utf8("b");

    private final RequestTranslator translator = new RequestTranslator(4);

    @Test
    void aRangeIsTranslatedFieldByField() {
        RangeRequest request =
                RangeRequest.newBuilder()
                        .setKey(A)
                        .setRangeEnd(B)
                        .setLimit(3)
                        .setRevision(4)
                        .setSortOrder(RangeRequest.SortOrder.DESCEND)
                        .setSortTarget(RangeRequest.SortTarget.MOD)
                        .setSerializable(true)
                        .setKeysOnly(true)
                        .setMinModRevision(5)
                        .setMaxModRevision(6)
                        .setMinCreateRevision(7)
                        .setMaxCreateRevision(8)
                        .build();
        assertThat(translator.range(request))
                .isEqualTo(
                        new RangeQuery(
                                KeySpan.of(KEY, END),
                                3,
                                4,
                                SortOrder.DESCEND,
                                SortTarget.MOD,
                                true,
                                false,
                                true,
                                new RevisionFilter(5, 6, 7, 8)));
        assertThat(translator.range(request.toBuilder().setCountOnly(true).build()).countOnly())
                .isTrue();
    }

    @Test
    void sortOptionsAreTranslated() {
        for (RangeRequest.SortTarget target : RangeRequest.SortTarget.values()) {
            for (RangeRequest.SortOrder order : RangeRequest.SortOrder.values()) {
                if (target == RangeRequest.SortTarget.UNRECOGNIZED
                        || order == RangeRequest.SortOrder.UNRECOGNIZED) {
                    continue;
                }
                RangeQuery query =
                        translator.range(
                                RangeRequest.newBuilder()
                                        .setKey(A)
                                        .setSortTarget(target)
                                        .setSortOrder(order)
                                        .build());
                assertThat(query.sortTarget().name()).isEqualTo(target.name());
                assertThat(query.sortOrder().name()).isEqualTo(order.name());
            }
        }
    }

    @Test
    void anUnknownSortOptionIsRefusedAfterAMissingKey() {
        RangeRequest.Builder request = RangeRequest.newBuilder().setSortOrderValue(7);
        refused(() -> translator.range(request.build()), ErrorKind.KEY_NOT_PROVIDED);
        request.setKey(A);
        refused(() -> translator.range(request.build()), ErrorKind.INVALID_SORT_OPTION);
        request.clearSortOrder().setSortTargetValue(9);
        refused(() -> translator.range(request.build()), ErrorKind.INVALID_SORT_OPTION);
    }

    @Test
    void aPutIsTranslatedFieldByField() {
        PutRequest request =
                PutRequest.newBuilder().setKey(A).setValue(B).setLease(5).setPrevKv(true).build();
        assertThat(translator.put(request)).isEqualTo(new Op.Put(KEY, END, 5, true, false, false));
        PutRequest ignoring =
                PutRequest.newBuilder().setKey(A).setIgnoreValue(true).setIgnoreLease(true).build();
        assertThat(translator.put(ignoring))
                .isEqualTo(new Op.Put(KEY, Bytes.EMPTY, 0, false, true, true));
    }

    @Test
    void aPutWithAnIgnoredValueOrLeaseIsRefused() {
        PutRequest.Builder request =
                PutRequest.newBuilder()
                        .setValue(B)
                        .setIgnoreValue(true)
                        .setLease(1)
                        .setIgnoreLease(true);
        refused(() -> translator.put(request.build()), ErrorKind.KEY_NOT_PROVIDED);
        request.setKey(A);
        refused(() -> translator.put(request.build()), ErrorKind.VALUE_PROVIDED);
        request.clearValue();
        refused(() -> translator.put(request.build()), ErrorKind.LEASE_PROVIDED);
    }

    @Test
    void aDeleteIsTranslatedFieldByField() {
        DeleteRangeRequest request =
                DeleteRangeRequest.newBuilder().setKey(A).setRangeEnd(B).setPrevKv(true).build();
        assertThat(translator.delete(request)).isEqualTo(new Op.Delete(KeySpan.of(KEY, END), true));
        refused(
                () -> translator.delete(DeleteRangeRequest.newBuilder().setRangeEnd(B).build()),
                ErrorKind.KEY_NOT_PROVIDED);
    }

    @Test
    void comparesUseTheOperandOfTheirTarget() {
        assertThat(compare(Compare.newBuilder().setTargetValue(0).setVersion(5)))
                .isEqualTo(expected(Target.VERSION, 5));
        assertThat(compare(Compare.newBuilder().setTargetValue(1).setCreateRevision(5)))
                .isEqualTo(expected(Target.CREATE, 5));
        assertThat(compare(Compare.newBuilder().setTargetValue(2).setModRevision(5)))
                .isEqualTo(expected(Target.MOD, 5));
        assertThat(compare(Compare.newBuilder().setTargetValue(4).setLease(5)))
                .isEqualTo(expected(Target.LEASE, 5));
        assertThat(compare(Compare.newBuilder().setTargetValue(3).setValue(B)))
                .isEqualTo(
                        new io.brain.backend.model.Compare(
                                KeySpan.of(KEY), Target.VALUE, Relation.EQUAL, 0, END));
    }

    @Test
    void anOperandOfAnotherTargetCountsAsZero() {
        assertThat(compare(Compare.newBuilder().setTargetValue(2).setVersion(5)).number()).isZero();
        assertThat(compare(Compare.newBuilder().setTargetValue(3).setVersion(5)).value())
                .isEqualTo(Bytes.EMPTY);
    }

    @Test
    void unknownTargetsAndRelationsArePassedOn() {
        assertThat(compare(Compare.newBuilder().setTargetValue(9)).target())
                .isEqualTo(Target.UNKNOWN);
        assertThat(compare(Compare.newBuilder().setResultValue(9)).relation())
                .isEqualTo(Relation.UNKNOWN);
        for (Compare.CompareResult result : Compare.CompareResult.values()) {
            if (result != Compare.CompareResult.UNRECOGNIZED) {
                assertThat(compare(Compare.newBuilder().setResult(result)).relation().name())
                        .isEqualTo(result.name());
            }
        }
    }

    @Test
    void anEmptyOperationIsRefused() {
        TxnRequest request =
                TxnRequest.newBuilder().addFailure(RequestOp.getDefaultInstance()).build();
        refused(() -> translator.txn(request), ErrorKind.KEY_NOT_FOUND);
    }

    @Test
    void tooManyOperationsAreRefusedFirst() {
        TxnRequest.Builder request = TxnRequest.newBuilder();
        for (int i = 0; i < 5; i++) {
            request.addCompare(Compare.getDefaultInstance());
        }
        refused(() -> translator.txn(request.build()), ErrorKind.TOO_MANY_OPS);
        request.removeCompare(0);
        refused(() -> translator.txn(request.build()), ErrorKind.KEY_NOT_PROVIDED);
    }

    @Test
    void nestedTransactionsShareTheRemainingLimitOfOperations() {
        TxnRequest inner = TxnRequest.newBuilder().addSuccess(put()).addSuccess(put()).build();
        TxnRequest.Builder outer = TxnRequest.newBuilder().addSuccess(nested(inner));
        assertThat(translator.txn(outer.addSuccess(put()).build()).success()).hasSize(2);
        refused(() -> translator.txn(outer.addSuccess(put()).build()), ErrorKind.TOO_MANY_OPS);
    }

    @Test
    void errorsAreFoundInTheOrderOfTheRequest() {
        RequestOp badSort =
                RequestOp.newBuilder()
                        .setRequestRange(RangeRequest.newBuilder().setKey(A).setSortOrderValue(7))
                        .build();
        RequestOp noKey =
                RequestOp.newBuilder().setRequestPut(PutRequest.getDefaultInstance()).build();
        refused(
                () ->
                        translator.txn(
                                TxnRequest.newBuilder()
                                        .addSuccess(badSort)
                                        .addSuccess(noKey)
                                        .build()),
                ErrorKind.INVALID_SORT_OPTION);
        refused(
                () ->
                        translator.txn(
                                TxnRequest.newBuilder()
                                        .addSuccess(noKey)
                                        .addSuccess(badSort)
                                        .build()),
                ErrorKind.KEY_NOT_PROVIDED);
        refused(
                () ->
                        translator.txn(
                                TxnRequest.newBuilder()
                                        .addFailure(badSort)
                                        .addSuccess(noKey)
                                        .build()),
                ErrorKind.KEY_NOT_PROVIDED);
    }

    @Test
    void bothBranchesAreTranslated() {
        Txn txn =
                translator.txn(
                        TxnRequest.newBuilder()
                                .addSuccess(put())
                                .addFailure(
                                        nested(TxnRequest.newBuilder().addSuccess(put()).build()))
                                .build());
        Op.Put put = new Op.Put(KEY, Bytes.EMPTY, 0, false, false, false);
        assertThat(txn)
                .isEqualTo(new Txn(List.of(), List.of(put), List.of(new Op.Nested(Txn.of(put)))));
    }

    @Test
    void aWatchIsTranslatedFieldByField() {
        WatchCreateRequest request =
                WatchCreateRequest.newBuilder()
                        .setKey(A)
                        .setRangeEnd(B)
                        .setStartRevision(3)
                        .setProgressNotify(true)
                        .setPrevKv(true)
                        .setWatchId(4)
                        .setFragment(true)
                        .addFilters(FilterType.NOPUT)
                        .addFiltersValue(9)
                        .build();
        assertThat(translator.watch(request))
                .isEqualTo(
                        new WatchRequest(
                                4, KeySpan.of(KEY, END), 3, true, true, true, true, false));
        assertThat(
                        translator
                                .watch(
                                        WatchCreateRequest.newBuilder()
                                                .addFilters(FilterType.NODELETE)
                                                .build())
                                .noDelete())
                .isTrue();
    }

    @Test
    void aWatchWithoutKeyStartsAtTheSmallestKey() {
        Bytes least = Bytes.wrap(new byte[1]);
        WatchCreateRequest one = WatchCreateRequest.getDefaultInstance();
        assertThat(translator.watch(one).span()).isEqualTo(KeySpan.of(least));
        WatchCreateRequest all =
                WatchCreateRequest.newBuilder()
                        .setRangeEnd(ByteString.copyFrom(new byte[1]))
                        .build();
        assertThat(translator.watch(all).span()).isEqualTo(new KeySpan(least, null, false));
    }

    private io.brain.backend.model.Compare compare(Compare.Builder compare) {
        TxnRequest request = TxnRequest.newBuilder().addCompare(compare.setKey(A)).build();
        return translator.txn(request).compares().get(0);
    }

    private static io.brain.backend.model.Compare expected(Target target, long number) {
        return new io.brain.backend.model.Compare(
                KeySpan.of(KEY), target, Relation.EQUAL, number, Bytes.EMPTY);
    }

    private static RequestOp put() {
        return RequestOp.newBuilder().setRequestPut(PutRequest.newBuilder().setKey(A)).build();
    }

    private static RequestOp nested(TxnRequest txn) {
        return RequestOp.newBuilder().setRequestTxn(txn).build();
    }

    private static void refused(Runnable translation, ErrorKind kind) {
        assertThatThrownBy(translation::run)
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(kind));
    }
}
