package io.brain.conformance;

import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.watchAll;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.brain.conformance.history.Histories;
import io.brain.conformance.history.Histories.Result;
import io.brain.conformance.script.Requests;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.ServerPair;
import io.brain.conformance.script.Verdict;
import io.brain.conformance.script.WatchStream;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.HashKVResponse;
import io.brain.proto.etcd.LeaseTimeToLiveResponse;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event.EventType;
import io.grpc.Channel;
import io.grpc.Status;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The comparison itself: etcd against an etcd whose answers are tampered with. */
@Tag("peer")
@Isolated
class DifferencesAreSeenTest {

    private static final Scenario SCENARIO =
            Scenario.scenario(
                    0,
                    "a bit of everything",
                    s -> {
                        WatchStream watch = s.watch();
                        watch.create(watchAll().setPrevKv(true));
                        s.grant(lease(77, 600));
                        s.put(put("a", "1").setLease(77));
                        s.put(put("a", "2").setPrevKv(true));
                        s.delete(delete("a"));
                        s.put(put("a", "").setIgnoreValue(true));
                        watch.expect(3);
                        s.range(Requests.all());
                        s.timeToLive(77);
                        s.call(
                                MaintenanceGrpc.getHashKVMethod(),
                                HashKVRequest.getDefaultInstance());
                    });

    private static final Scenario HASHED =
            Scenario.scenario(
                            0,
                            "a history and its hash",
                            s -> {
                                s.put("a", "1");
                                s.put("b", "1");
                                s.delete(delete("a"));
                                s.call(
                                        MaintenanceGrpc.getHashKVMethod(),
                                        HashKVRequest.getDefaultInstance());
                            })
                    .onFreshServer();

    @BeforeEach
    void etcdIsThere() {
        var unused = Peer.ETCD.require();
    }

    @Test
    void twoUntouchedServersDoNotDiffer() throws Exception {
        assertThat(play(UnaryOperator.identity()).differences()).isEmpty();
    }

    @Test
    void aWrongCountIsSeen() throws Exception {
        sees(
                (request, answer) ->
                        answer instanceof RangeResponse range
                                ? range.toBuilder().setCount(range.getCount() + 1).build()
                                : answer,
                "count");
    }

    @Test
    void anotherHashOfTheSameHistoryIsSeen() throws Exception {
        sees(
                (request, answer) ->
                        answer instanceof HashKVResponse hash
                                ? hash.toBuilder().setHash(hash.getHash() ^ 1).build()
                                : answer,
                "hash");
    }

    /** A server that stored another history and told nobody: only the hash shows it. */
    @Test
    void aValueThatIsStoredWrongIsSeenByTheHashAlone() throws Exception {
        try (ServerPair pair = pair(Tampering.withRequests(DifferencesAreSeenTest::otherValue))) {
            String differences = pair.play(HASHED).differences();
            assertThat(differences).contains("differs at hash");
            assertThat(differences.lines().filter(line -> line.contains("differs at"))).hasSize(1);
        }
    }

    @Test
    void aMissingPreviousKeyIsSeen() throws Exception {
        sees(
                (request, answer) ->
                        answer instanceof PutResponse put
                                ? put.toBuilder().clearPrevKv().build()
                                : answer,
                "prev_kv");
    }

    @Test
    void aMissingHeaderIsSeen() throws Exception {
        sees(
                (request, answer) ->
                        answer instanceof RangeResponse range
                                ? range.toBuilder().clearHeader().build()
                                : answer,
                "header");
    }

    @Test
    void aLostEventIsSeen() throws Exception {
        sees(
                (request, answer) ->
                        answer instanceof WatchResponse watch
                                        && watch.getEventsCount() > 0
                                        && watch.getEvents(0).getType() == EventType.DELETE
                                ? null
                                : answer,
                "2 of 3");
    }

    @Test
    void timeLeftMayDifferByOneSecondAndNotByTwo() throws Exception {
        assertThat(play(Tampering.withAnswers(lessTimeLeft(1))).differences()).isEmpty();
        sees(lessTimeLeft(3), "TTL");
    }

    @Test
    void anotherTextAndAnotherCodeAreSeen() throws Exception {
        assertThat(play(Tampering.withStatuses(s -> s.augmentDescription("really"))).differences())
                .contains("INVALID_ARGUMENT: etcdserver: key not found\nreally");
        assertThat(
                        play(Tampering.withStatuses(
                                        s ->
                                                s.isOk()
                                                        ? s
                                                        : Status.UNKNOWN.withDescription(
                                                                s.getDescription())))
                                .differences())
                .contains("UNKNOWN: etcdserver: key not found");
    }

    @Test
    void aRareFaultIsFoundByHistoriesAndCutDown() throws Exception {
        BiFunction<Message, Message, Message> fault =
                (request, answer) ->
                        request instanceof PutRequest put
                                        && put.getLease() != 0
                                        && answer instanceof PutResponse response
                                ? response.toBuilder().clearPrevKv().build()
                                : answer;
        try (ServerPair pair = pair(Tampering.withAnswers(fault))) {
            Result result = new Histories(pair, line -> {}).play(1, 300);
            assertThat(result.passed()).isFalse();
            assertThat(result.report()).contains("seed 1").contains("differs at prev_kv");
            List<String> steps =
                    result.report()
                            .lines()
                            .filter(l -> l.matches("    \\w+Request \\{.*"))
                            .toList();
            assertThat(steps).as(result.report()).hasSizeBetween(2, 4);
        }
    }

    private static Message otherValue(Message request) {
        return request instanceof PutRequest put && put.getKey().toStringUtf8().equals("b")
                ? put.toBuilder().setValue(Requests.bytes("2")).build()
                : request;
    }

    private static BiFunction<Message, Message, Message> lessTimeLeft(long seconds) {
        return (request, answer) ->
                answer instanceof LeaseTimeToLiveResponse left
                        ? left.toBuilder().setTTL(left.getTTL() - seconds).build()
                        : answer;
    }

    private static void sees(BiFunction<Message, Message, Message> fault, String what)
            throws Exception {
        assertThat(play(Tampering.withAnswers(fault)).differences()).contains("differs at", what);
    }

    private static Verdict play(UnaryOperator<Channel> via) throws Exception {
        try (ServerPair pair = pair(via)) {
            return pair.play(SCENARIO);
        }
    }

    private static ServerPair pair(UnaryOperator<Channel> via) {
        ServerCommand etcd = ServerCommand.etcd();
        return new ServerPair(etcd, etcd.named("other"), via);
    }
}
