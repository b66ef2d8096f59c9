package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.all;
import static io.brain.conformance.script.Requests.bytes;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Exchange;
import io.brain.conformance.script.Outcome;
import io.brain.conformance.script.Requests;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.conformance.script.WatchStream;
import io.brain.proto.election.CampaignRequest;
import io.brain.proto.election.CampaignResponse;
import io.brain.proto.election.ElectionGrpc;
import io.brain.proto.election.LeaderKey;
import io.brain.proto.election.LeaderRequest;
import io.brain.proto.election.LeaderResponse;
import io.brain.proto.election.ProclaimRequest;
import io.brain.proto.election.ResignRequest;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmType;
import java.util.List;
import java.util.stream.Stream;

/** v3election. Lease 77 is 4d in a key, 78 is 4e. */
final class ElectionCases {

    private ElectionCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(terms(), refusals(), observers())
                .flatMap(List::stream)
                // A candidate must be in line when the server has been quiet for a moment.
                .map(Scenario::leftToChance)
                .toList();
    }

    private static List<Scenario> terms() {
        return List.of(
                scenario(
                        345,
                        "a leader is elected, proclaims and resigns",
                        s -> {
                            grantTwo(s);
                            leader(s, "e");
                            LeaderKey first = campaign(s, "e", 77, "one");
                            leader(s, "e");
                            proclaim(s, first, "more");
                            leader(s, "e");
                            campaign(s, "e", 77, "more");
                            campaign(s, "e", 77, "again");
                            s.range(all());
                            resign(s, first);
                            leader(s, "e");
                            resign(s, first);
                            proclaim(s, first, "late");
                            s.range(all());
                        }),
                scenario(
                        346,
                        "candidates are elected in the order in which they came",
                        s -> {
                            grantTwo(s);
                            LeaderKey first = campaign(s, "e", 77, "one");
                            Exchange<CampaignRequest, CampaignResponse> second =
                                    start(s, "e", 78, "two");
                            second.expectNothing();
                            leader(s, "e");
                            proclaim(s, first, "more");
                            second.expectNothing();
                            resign(s, first);
                            second.expect(1);
                            second.expectEnd();
                            leader(s, "e");
                            s.revoke(78);
                            leader(s, "e");
                        }),
                scenario(
                        347,
                        "a candidate that goes takes its key along",
                        s -> {
                            grantTwo(s);
                            campaign(s, "e", 77, "one");
                            Exchange<CampaignRequest, CampaignResponse> second =
                                    start(s, "e", 78, "two");
                            second.expectNothing();
                            WatchStream watch = s.watch();
                            watch.create(Requests.watchAll());
                            second.close();
                            watch.expect(1);
                            s.range(all());
                        }),
                scenario(
                        348,
                        "a candidate whose lease ended is elected without a key",
                        s -> {
                            grantTwo(s);
                            LeaderKey first = campaign(s, "e", 77, "one");
                            Exchange<CampaignRequest, CampaignResponse> second =
                                    start(s, "e", 78, "two");
                            second.expectNothing();
                            s.revoke(78);
                            resign(s, first);
                            second.expect(1);
                            second.expectEnd();
                            s.range(all());
                        }),
                scenario(
                        349,
                        "a candidate that waits may change its value with a second call",
                        s -> {
                            grantTwo(s);
                            LeaderKey first = campaign(s, "e", 77, "one");
                            Exchange<CampaignRequest, CampaignResponse> second =
                                    start(s, "e", 78, "two");
                            second.expectNothing();
                            Exchange<CampaignRequest, CampaignResponse> third =
                                    start(s, "e", 78, "three");
                            third.expectNothing();
                            s.range(all());
                            resign(s, first);
                            second.expect(1);
                            third.expect(1);
                        }),
                scenario(
                        350,
                        "without a lease a candidate gets one, and so does a value",
                        s -> {
                            LeaderKey first = campaign(s, "e", 0, "one");
                            s.range(all());
                            proclaim(s, first, "more");
                            s.range(all());
                            resign(s, first);
                            s.leases();
                        }));
    }

    private static List<Scenario> refusals() {
        return List.of(
                scenario(
                        351,
                        "what is missing or wrong in a request",
                        s -> {
                            campaign(s, "e", 77, "one");
                            campaign(s, "e", -1, "one");
                            s.call(
                                    ElectionGrpc.getProclaimMethod(),
                                    ProclaimRequest.getDefaultInstance());
                            s.call(
                                    ElectionGrpc.getResignMethod(),
                                    ResignRequest.getDefaultInstance());
                            proclaim(s, LeaderKey.getDefaultInstance(), "x");
                            resign(s, LeaderKey.getDefaultInstance());
                            proclaim(s, key("e/4d", 5, 77), "x");
                            resign(s, key("e/4d", 5, 77));
                            proclaim(s, key("e/4d", 0, 77), "x");
                            resign(s, key("e/4d", 0, 77));
                            proclaim(s, key("e/4d", -1, -1), "x");
                            leader(s, "");
                            s.grant(lease(77, 600));
                            proclaim(s, key("e/4d", 0, 77), "x");
                            s.range(all());
                            s.raw("v3electionpb.Election/Leader");
                            s.raw("v3electionpb.Election/Observe");
                            s.raw("v3electionpb.Election/Campaign", new byte[] {1});
                            s.raw("v3electionpb.Election/Observe", new byte[] {1});
                        }),
                scenario(
                        352,
                        "a value that is too large is refused, and its candidate resigns",
                        s -> {
                            grantTwo(s);
                            s.call(
                                    ElectionGrpc.getCampaignMethod(),
                                    CampaignRequest.newBuilder()
                                            .setName(bytes("e"))
                                            .setLease(77)
                                            .setValue(Requests.large(1_600_000))
                                            .build());
                            campaign(s, "e", 77, "small");
                            s.call(
                                    ElectionGrpc.getCampaignMethod(),
                                    CampaignRequest.newBuilder()
                                            .setName(bytes("e"))
                                            .setLease(77)
                                            .setValue(Requests.large(1_600_000))
                                            .build());
                            s.range(all());
                        }),
                scenario(
                        353,
                        "no election without space",
                        s -> {
                            grantTwo(s);
                            LeaderKey first = campaign(s, "e", 77, "one");
                            s.alarm(AlarmAction.ACTIVATE, AlarmType.NOSPACE);
                            campaign(s, "e", 78, "two");
                            campaign(s, "f", 0, "two");
                            campaign(s, "e", 77, "one");
                            proclaim(s, first, "more");
                            leader(s, "e");
                            resign(s, first);
                            s.range(all());
                            s.alarm(AlarmAction.DEACTIVATE, AlarmType.NOSPACE);
                        }));
    }

    private static List<Scenario> observers() {
        return List.of(
                scenario(
                        354,
                        "an observer sees each leader and each value",
                        s -> {
                            grantTwo(s);
                            Exchange<LeaderRequest, LeaderResponse> observer = observe(s, "e");
                            observer.expectNothing();
                            LeaderKey first = campaign(s, "e", 77, "one");
                            observer.expect(1);
                            s.put("other", "1");
                            observer.expectNothing();
                            proclaim(s, first, "more");
                            observer.expect(1);
                            Exchange<CampaignRequest, CampaignResponse> second =
                                    start(s, "e", 78, "two");
                            second.expectNothing();
                            observer.expectNothing();
                            resign(s, first);
                            observer.expect(1);
                            s.revoke(78);
                            observer.expectNothing();
                            campaign(s, "e", 77, "back");
                            observer.expect(1);
                            Exchange<LeaderRequest, LeaderResponse> late = observe(s, "e");
                            late.expect(1);
                            late.expectNothing();
                        }),
                scenario(
                        355,
                        "an observer sees what a transaction does at once",
                        s -> {
                            Exchange<LeaderRequest, LeaderResponse> observer = observe(s, "e");
                            observer.expectNothing();
                            s.txn(txn(put("e/x", "1"), put("e/a", "2")));
                            observer.expect(1);
                            s.txn(txn(delete("e/x"), put("e/b", "3")));
                            observer.expect(1);
                            s.delete(delete("e/", "e0"));
                            observer.expectNothing();
                            s.put("e/b", "4");
                            observer.expect(1);
                        }),
                scenario(
                        356,
                        "an observer does not mind compactions",
                        s -> {
                            Exchange<LeaderRequest, LeaderResponse> observer = observe(s, "e");
                            observer.expectNothing();
                            s.put("e/x", "1");
                            observer.expect(1);
                            s.put("a", "1");
                            s.put("a", "2");
                            s.compact(Requests.compact(s.revision()));
                            s.put("e/x", "2");
                            observer.expect(1);
                        }));
    }

    private static void grantTwo(Session s) {
        s.grant(lease(77, 600));
        s.grant(lease(78, 600));
    }

    /** Campaigns; an empty key if it is refused. */
    private static LeaderKey campaign(Session s, String name, long lease, String value) {
        Outcome<CampaignResponse> outcome =
                s.call(ElectionGrpc.getCampaignMethod(), request(name, lease, value));
        return outcome instanceof Outcome.Answer
                ? outcome.get().getLeader()
                : LeaderKey.getDefaultInstance();
    }

    private static void proclaim(Session s, LeaderKey leader, String value) {
        s.call(
                ElectionGrpc.getProclaimMethod(),
                ProclaimRequest.newBuilder().setLeader(leader).setValue(bytes(value)).build());
    }

    private static void resign(Session s, LeaderKey leader) {
        s.call(
                ElectionGrpc.getResignMethod(),
                ResignRequest.newBuilder().setLeader(leader).build());
    }

    private static void leader(Session s, String name) {
        s.call(
                ElectionGrpc.getLeaderMethod(),
                LeaderRequest.newBuilder().setName(bytes(name)).build());
    }

    /** Starts a call that may wait. */
    private static Exchange<CampaignRequest, CampaignResponse> start(
            Session s, String name, long lease, String value) {
        Exchange<CampaignRequest, CampaignResponse> call =
                s.exchange(ElectionGrpc.getCampaignMethod());
        call.send(request(name, lease, value));
        call.halfClose();
        return call;
    }

    private static Exchange<LeaderRequest, LeaderResponse> observe(Session s, String name) {
        Exchange<LeaderRequest, LeaderResponse> call = s.exchange(ElectionGrpc.getObserveMethod());
        call.send(LeaderRequest.newBuilder().setName(bytes(name)).build());
        call.halfClose();
        return call;
    }

    private static CampaignRequest request(String name, long lease, String value) {
        return CampaignRequest.newBuilder()
                .setName(bytes(name))
                .setLease(lease)
                .setValue(bytes(value))
                .build();
    }

    private static LeaderKey key(String key, long revision, long lease) {
        return LeaderKey.newBuilder()
                .setName(bytes("e"))
                .setKey(bytes(key))
                .setRev(revision)
                .setLease(lease)
                .build();
    }
}
