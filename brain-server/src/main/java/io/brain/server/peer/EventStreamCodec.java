package io.brain.server.peer;

import io.brain.backend.auth.AuthCodec;
import io.brain.backend.cluster.link.LeaderUpdate;
import io.brain.backend.cluster.link.LeaderUpdate.LeaderStatus;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.Fence;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.wire.KeyValue;
import io.brain.proto.peer.AlarmEntry;
import io.brain.proto.peer.AlarmList;
import io.brain.proto.peer.Event;
import io.brain.proto.peer.EventStreamUpdate;
import io.brain.proto.peer.FenceState;
import io.brain.proto.peer.LeaderState;
import io.brain.proto.peer.ReadPointResponse;
import io.brain.proto.peer.RevisionUpdate;
import io.brain.server.grpc.ByteStrings;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Messages of event streams. Stored bytes are not copied. */
final class EventStreamCodec {
    private EventStreamCodec() {}

    static EventStreamUpdate encode(LeaderUpdate update) {
        EventStreamUpdate.Builder message =
                EventStreamUpdate.newBuilder().setState(encode(update.status()));
        update.events().forEach(events -> message.addRevisions(encode(events)));
        return message.build();
    }

    /**
     * Decodes an update.
     *
     * @throws io.brain.storage.StorageException if an event is malformed
     */
    static LeaderUpdate decode(EventStreamUpdate message) {
        List<RevisionEvents> events = new ArrayList<>(message.getRevisionsCount());
        message.getRevisionsList().forEach(revision -> events.add(decode(revision)));
        return new LeaderUpdate(events, decode(message.getState()));
    }

    private static RevisionUpdate encode(RevisionEvents events) {
        RevisionUpdate.Builder message =
                RevisionUpdate.newBuilder()
                        .setRevision(events.revision())
                        .setInLogOnly(events.inLogOnly());
        for (WatchEvent event : events.events()) {
            Event.Builder encoded =
                    message.addEventsBuilder()
                            .setDelete(event.isDelete())
                            .setKv(ByteStrings.wrap(event.kv()));
            if (event.prevKv() != null) {
                encoded.setPrevKv(ByteStrings.wrap(event.prevKv()));
            }
        }
        return message.build();
    }

    private static RevisionEvents decode(RevisionUpdate message) {
        List<WatchEvent> events = new ArrayList<>(message.getEventsCount());
        for (Event event : message.getEventsList()) {
            Bytes kv = ByteStrings.unwrap(event.getKv());
            events.add(
                    new WatchEvent(
                            KeyValue.decode(kv).key(),
                            message.getRevision(),
                            event.getDelete(),
                            kv,
                            event.hasPrevKv() ? ByteStrings.unwrap(event.getPrevKv()) : null));
        }
        return new RevisionEvents(message.getRevision(), events, message.getInLogOnly());
    }

    private static LeaderState encode(LeaderStatus status) {
        Fence fence = status.fence();
        LeaderState.Builder message = LeaderState.newBuilder();
        if (status.auth() != null) {
            message.setAuth(ByteStrings.wrap(AuthCodec.encode(status.auth())));
        }
        return message.setPoint(encode(status.point()))
                .setFence(
                        FenceState.newBuilder()
                                .setEpoch(fence.epoch())
                                .setBatch(fence.batch())
                                .setRevision(fence.revision())
                                .setBytes(fence.bytes())
                                .setKeys(fence.keys())
                                .setToken(fence.token()))
                .setFloor(status.floor())
                .setAlarms(encode(status.alarms()))
                .setRenewal(status.renewal())
                .setSuccessor(status.successor())
                .build();
    }

    private static LeaderStatus decode(LeaderState message) {
        FenceState fence = message.getFence();
        return new LeaderStatus(
                decode(message.getPoint()),
                new Fence(
                        fence.getEpoch(),
                        fence.getBatch(),
                        fence.getRevision(),
                        fence.getBytes(),
                        fence.getKeys(),
                        fence.getToken()),
                message.getFloor(),
                decode(message.getAlarms()),
                message.getRenewal(),
                message.getSuccessor(),
                message.hasAuth() ? AuthCodec.decode(ByteStrings.unwrap(message.getAuth())) : null);
    }

    static ReadPointResponse encode(ReadPoint point) {
        return ReadPointResponse.newBuilder()
                .setRevision(point.revision())
                .setTimestamp(point.timestamp())
                .build();
    }

    static ReadPoint decode(ReadPointResponse message) {
        return new ReadPoint(message.getRevision(), message.getTimestamp());
    }

    static AlarmList encode(RaisedAlarms raised) {
        AlarmList.Builder message =
                AlarmList.newBuilder().setEpoch(raised.epoch()).setChange(raised.change());
        raised.alarms().forEach(alarm -> message.addAlarms(encode(alarm)));
        return message.build();
    }

    static RaisedAlarms decode(AlarmList message) {
        SortedSet<Alarm> alarms = new TreeSet<>();
        message.getAlarmsList().forEach(alarm -> alarms.add(decode(alarm)));
        return new RaisedAlarms(message.getEpoch(), message.getChange(), alarms);
    }

    static AlarmEntry encode(Alarm alarm) {
        return AlarmEntry.newBuilder().setMemberId(alarm.memberId()).setKind(alarm.kind()).build();
    }

    static Alarm decode(AlarmEntry message) {
        return new Alarm(message.getMemberId(), message.getKind());
    }
}
