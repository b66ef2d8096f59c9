package io.brain.conformance.cluster.jetcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.DeleteResponse;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.PutResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.CompactOption;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import org.junit.jupiter.api.Test;

abstract class JetcdKvContract extends JetcdFixture {

    @Test
    void putIsReadBackWithItsRevision() throws Exception {
        long revision = put("put/a", "1");
        KeyValue kv = get("put/a").get(0);
        assertThat(text(kv.getValue())).isEqualTo("1");
        assertThat(kv.getModRevision()).isEqualTo(revision);
        assertThat(kv.getCreateRevision()).isEqualTo(revision);
        assertThat(kv.getVersion()).isEqualTo(1);
    }

    @Test
    void putReturnsThePreviousValueOnRequest() throws Exception {
        put("prev/a", "old");
        PutOption withPrevious = PutOption.builder().withPrevKV().build();
        PutResponse response = answer(kv().put(bytes("prev/a"), bytes("new"), withPrevious));
        assertThat(text(response.getPrevKv().getValue())).isEqualTo("old");
    }

    @Test
    void missingKeyGivesNothing() throws Exception {
        assertThat(get("missing")).isEmpty();
    }

    @Test
    void emptyKeyIsRefused() {
        assertRefused(kv().put(ByteSequence.EMPTY, bytes("1")))
                .hasMessageContaining("key is not provided");
    }

    @Test
    void prefixIsSortedLimitedAndCounted() throws Exception {
        for (String key : new String[] {"list/b", "list/a", "list/d", "list/c"}) {
            put(key, key);
        }
        GetOption firstThree =
                GetOption.builder()
                        .isPrefix(true)
                        .withLimit(3)
                        .withSortField(GetOption.SortTarget.KEY)
                        .withSortOrder(GetOption.SortOrder.DESCEND)
                        .build();
        GetResponse response = answer(kv().get(bytes("list/"), firstThree));
        assertThat(keys(response.getKvs())).containsExactly("list/d", "list/c", "list/b");
        assertThat(response.getCount()).isEqualTo(4);
        assertThat(response.isMore()).isTrue();
        GetOption count = GetOption.builder().isPrefix(true).withCountOnly(true).build();
        assertThat(answer(kv().get(bytes("list/"), count)).getCount()).isEqualTo(4);
    }

    @Test
    void keysOnlyLeavesValuesOut() throws Exception {
        put("keys/a", "value");
        GetOption keysOnly = GetOption.builder().isPrefix(true).withKeysOnly(true).build();
        KeyValue kv = answer(kv().get(bytes("keys/"), keysOnly)).getKvs().get(0);
        assertThat(kv.getValue().isEmpty()).isTrue();
        assertThat(kv.getVersion()).isEqualTo(1);
    }

    @Test
    void oldRevisionShowsTheOldValue() throws Exception {
        long revision = put("old/a", "1");
        put("old/a", "2");
        GetOption then = GetOption.builder().withRevision(revision).build();
        assertThat(text(answer(kv().get(bytes("old/a"), then)).getKvs().get(0).getValue()))
                .isEqualTo("1");
    }

    @Test
    void deleteOfARangeReturnsWhatItDeleted() throws Exception {
        put("range/a", "1");
        put("range/b", "2");
        DeleteOption all = DeleteOption.builder().isPrefix(true).withPrevKV(true).build();
        DeleteResponse response = answer(kv().delete(bytes("range/"), all));
        assertThat(response.getDeleted()).isEqualTo(2);
        assertThat(keys(response.getPrevKvs())).containsExactly("range/a", "range/b");
        assertThat(get("range/a")).isEmpty();
    }

    @Test
    void transactionTakesTheBranchOfItsCompares() throws Exception {
        long revision = put("txn/a", "1");
        Cmp unchanged = new Cmp(bytes("txn/a"), Cmp.Op.EQUAL, CmpTarget.modRevision(revision));
        Op.PutOp put = Op.put(bytes("txn/a"), bytes("2"), PutOption.DEFAULT);
        Op.GetOp get = Op.get(bytes("txn/a"), GetOption.DEFAULT);
        TxnResponse first = answer(kv().txn().If(unchanged).Then(put).Else(get).commit());
        assertThat(first.isSucceeded()).isTrue();
        assertThat(first.getHeader().getRevision()).isEqualTo(revision + 1);
        TxnResponse second = answer(kv().txn().If(unchanged).Then(put).Else(get).commit());
        assertThat(second.isSucceeded()).isFalse();
        KeyValue now = second.getGetResponses().get(0).getKvs().get(0);
        assertThat(text(now.getValue())).isEqualTo("2");
        assertThat(now.getModRevision()).isEqualTo(revision + 1);
    }

    @Test
    void nestedTransactionIsOneRevision() throws Exception {
        long revision = put("nested/0", "0");
        Op.PutOp a = Op.put(bytes("nested/a"), bytes("1"), PutOption.DEFAULT);
        Op.PutOp b = Op.put(bytes("nested/b"), bytes("2"), PutOption.DEFAULT);
        Op.TxnOp inner = Op.txn(new Cmp[0], new Op[] {b}, new Op[0]);
        assertThat(answer(kv().txn().Then(a, inner).commit()).isSucceeded()).isTrue();
        assertThat(get("nested/a").get(0).getModRevision()).isEqualTo(revision + 1);
        assertThat(get("nested/b").get(0).getModRevision()).isEqualTo(revision + 1);
    }

    @Test
    void compactedRevisionIsRefused() throws Exception {
        long old = put("compact/a", "1");
        long newest = put("compact/a", "2");
        answer(kv().compact(newest, CompactOption.builder().withCompactPhysical(true).build()));
        GetOption then = GetOption.builder().withRevision(old).build();
        assertRefused(kv().get(bytes("compact/a"), then))
                .hasMessageContaining("required revision has been compacted");
        assertThat(get("compact/a")).hasSize(1);
    }

    @Test
    void futureRevisionIsRefused() throws Exception {
        long newest = put("future/a", "1");
        GetOption later = GetOption.builder().withRevision(newest + 1_000).build();
        assertRefused(kv().get(bytes("future/a"), later))
                .hasMessageContaining("required revision is a future revision");
    }

    @Test
    void namespaceIsAPrefixOfEveryKey() throws Exception {
        try (Client spaced =
                Client.builder().endpoints(endpoint()).namespace(bytes("space/")).build()) {
            answer(spaced.getKVClient().put(bytes("a"), bytes("1")));
            assertThat(keys(answer(spaced.getKVClient().get(bytes("a"))).getKvs()))
                    .containsExactly("a");
        }
        assertThat(get("space/a")).hasSize(1);
    }

    private KV kv() {
        return client().getKVClient();
    }
}
