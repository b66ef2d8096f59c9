package io.brain.transfer.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.mvcc.Event;
import io.brain.proto.mvcc.KeyValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RevisionTxnTest {
    private static final RevisionTxn.KeyCounter NO_COUNT =
            (from, end) -> {
                throw new IOException("nothing to count");
            };

    @Test
    void theOrderOfEventsIsKept() throws Exception {
        SourceRevision changes =
                new SourceRevision(7, List.of(delete("c"), put("b", 5), delete("a"), put("d", 0)));
        List<RequestOp> ops = RevisionTxn.of(changes, NO_COUNT).getSuccessList();
        assertThat(ops.get(0).getRequestDeleteRange().getKey()).isEqualTo(key("c"));
        assertThat(ops.get(1).getRequestPut().getLease()).isEqualTo(5);
        assertThat(ops.get(2).getRequestDeleteRange().getKey()).isEqualTo(key("a"));
        assertThat(ops.get(3).getRequestPut().getKey()).isEqualTo(key("d"));
    }

    @Test
    void aRepetitionIsRefusedByTheFirstPut() throws Exception {
        SourceRevision changes = new SourceRevision(7, List.of(delete("c"), put("b", 0)));
        Compare compare = RevisionTxn.of(changes, NO_COUNT).getCompare(0);
        assertThat(compare.getKey()).isEqualTo(key("b"));
        assertThat(compare.getTarget()).isEqualTo(Compare.CompareTarget.MOD);
        assertThat(compare.getResult()).isEqualTo(Compare.CompareResult.LESS);
        assertThat(compare.getModRevision()).isEqualTo(7);
    }

    @Test
    void manyPutsAreNestedWithinEtcdsLimit() throws Exception {
        for (int count : new int[] {1, 128, 129, 4_096, 4_097, 100_000}) {
            List<Event> events = IntStream.range(0, count).mapToObj(i -> put("k" + i, 0)).toList();
            TxnRequest txn = RevisionTxn.of(new SourceRevision(2, events), NO_COUNT);
            List<ByteString> keys = new ArrayList<>();
            collect(txn, 128, keys);
            assertThat(keys)
                    .isEqualTo(events.stream().map(event -> event.getKv().getKey()).toList());
        }
    }

    /** Fails where etcd says "too many operations". */
    private static void collect(TxnRequest txn, int limit, List<ByteString> keys) {
        int count = Math.max(txn.getSuccessCount(), txn.getCompareCount());
        assertThat(count).isLessThanOrEqualTo(limit);
        for (RequestOp op : txn.getSuccessList()) {
            if (op.hasRequestTxn()) {
                collect(op.getRequestTxn(), limit - count, keys);
            } else {
                keys.add(op.getRequestPut().getKey());
            }
        }
    }

    @Test
    void deletesOfAllKeysOfARangeAreJoined() throws Exception {
        TxnRequest txn = RevisionTxn.of(new SourceRevision(9, deletes(100)), (from, end) -> 100);
        DeleteRangeRequest joined = txn.getSuccess(0).getRequestDeleteRange();
        assertThat(txn.getSuccessCount()).isEqualTo(1);
        assertThat(joined.getKey()).isEqualTo(key("k1000"));
        assertThat(joined.getRangeEnd()).isEqualTo(key("k1099\0"));
    }

    @Test
    void deletesWithOtherKeysBetweenThemAreNotJoined() throws Exception {
        TxnRequest other = RevisionTxn.of(new SourceRevision(9, deletes(100)), (from, end) -> 101);
        assertThat(other.getSuccessCount()).isEqualTo(100);
        List<Event> events = new ArrayList<>(deletes(100));
        events.add(put("k1050x", 0));
        TxnRequest put = RevisionTxn.of(new SourceRevision(9, events), NO_COUNT);
        assertThat(put.getSuccessCount()).isEqualTo(101);
    }

    @Test
    void aKeyThatIsChangedTwiceIsRefused() {
        SourceRevision changes = new SourceRevision(7, List.of(put("b", 0), delete("b")));
        assertThatThrownBy(() -> RevisionTxn.of(changes, NO_COUNT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("revision 7 changes the key \"b\" twice");
    }

    private static List<Event> deletes(int count) {
        return IntStream.range(1000, 1000 + count).mapToObj(i -> delete("k" + i)).toList();
    }

    private static Event put(String key, long lease) {
        return event(Event.EventType.PUT, key, lease);
    }

    private static Event delete(String key) {
        return event(Event.EventType.DELETE, key, 0);
    }

    private static Event event(Event.EventType type, String key, long lease) {
        KeyValue kv = KeyValue.newBuilder().setKey(key(key)).setLease(lease).build();
        return Event.newBuilder().setType(type).setKv(kv).build();
    }

    private static ByteString key(String text) {
        return ByteString.copyFromUtf8(text);
    }
}
