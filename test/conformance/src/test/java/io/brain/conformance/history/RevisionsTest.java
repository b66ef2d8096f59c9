package io.brain.conformance.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.script.Requests;
import io.brain.proto.etcd.Compare.CompareResult;
import io.brain.proto.etcd.TxnRequest;
import org.junit.jupiter.api.Test;

class RevisionsTest {

    @Test
    void revisionsMoveAtEveryDepth() {
        assertThat(Revisions.moved(at(10), 5)).isEqualTo(at(15));
        assertThat(Revisions.moved(Revisions.moved(at(10), 5), -5)).isEqualTo(at(10));
    }

    @Test
    void numbersThatAreNoPlaceInTheHistoryStay() {
        assertThat(Revisions.moved(Requests.compact(-1).build(), 5))
                .isEqualTo(Requests.compact(-1).build());
        assertThat(Revisions.moved(Requests.compact(Long.MAX_VALUE).build(), 5))
                .isEqualTo(Requests.compact(Long.MAX_VALUE).build());
        var version = Requests.when(Requests.version("a", CompareResult.EQUAL, 3)).build();
        assertThat(Revisions.moved(version, 5)).isEqualTo(version);
    }

    private static TxnRequest at(long revision) {
        return Requests.when(
                        Requests.modified("a", CompareResult.EQUAL, revision),
                        Requests.created("a", CompareResult.LESS, revision + 1))
                .then(
                        Requests.get("a").setRevision(revision).setMaxModRevision(revision + 2),
                        Requests.txn(Requests.get("b").setMinCreateRevision(revision)).nested())
                .build();
    }
}
