package io.brain.conformance.linear.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.linear.Operation;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.ResponseOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

class WriteGapsTest {

    private static final long MILLI = 1_000_000;

    @Test
    void aGapBelongsToTheFaultBeforeItsEndAndSilencesDoNotCount() {
        List<Operation> operations =
                List.of(write(10), read(400), write(600), write(2_000), write(2_010));
        List<Nemesis.Injection> faults =
                List.of(fault(Fault.KILL_LEADER, 20, 300), fault(Fault.PAUSE_PD, 1_000, 1_100));
        List<WriteGaps.Silent> silences = List.of(new WriteGaps.Silent(700 * MILLI, 1_900 * MILLI));
        assertThat(WriteGaps.of(operations, faults, silences))
                .containsOnlyKeys(Fault.KILL_LEADER, Fault.PAUSE_PD)
                .containsEntry(Fault.KILL_LEADER, 590.0)
                .containsEntry(Fault.PAUSE_PD, 100.0);
    }

    private static Nemesis.Injection fault(Fault fault, long start, long end) {
        return new Nemesis.Injection(fault, start * MILLI, end * MILLI);
    }

    private static Operation write(long end) {
        ResponseOp put =
                ResponseOp.newBuilder().setResponsePut(PutResponse.getDefaultInstance()).build();
        return operation(end, TxnResponse.newBuilder().addResponses(put).build());
    }

    private static Operation read(long end) {
        return operation(end, TxnResponse.getDefaultInstance());
    }

    private static Operation operation(long end, TxnResponse answer) {
        return new Operation(
                "any",
                new Operation.Place("c", "n1", 1),
                0,
                end * MILLI,
                TxnRequest.getDefaultInstance(),
                answer,
                1,
                Operation.Outcome.OK);
    }
}
