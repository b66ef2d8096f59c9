package io.brain.server.peer;

import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.cluster.link.Standing;
import io.brain.backend.cluster.link.TailUpdate;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.Fence;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.wire.KeyValue;
import io.brain.proto.peer.Event;
import io.brain.proto.peer.ReadPointAnswer;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** What the stream of commits carries, as messages and back. Stored bytes are not copied. */
final class TailCodec {
    private TailCodec() {}

    static io.brain.proto.peer.TailUpdate encode(TailUpdate update) {
        io.brain.proto.peer.TailUpdate.Builder message =
                io.brain.proto.peer.TailUpdate.newBuilder().setStanding(encode(update.standing()));
        for (RevisionEvents events : update.events()) {
            message.addEvents(encode(events));
        }
        return message.build();
    }

    /**
     * What {@link #encode} made a message of.
     *
     * @throws io.brain.storage.StorageException if an event's bytes are damaged
     */
    static TailUpdate decode(io.brain.proto.peer.TailUpdate message) {
        List<RevisionEvents> events = new ArrayList<>(message.getEventsCount());
        for (io.brain.proto.peer.RevisionEvents of : message.getEventsList()) {
            events.add(decode(of));
        }
        return new TailUpdate(events, decode(message.getStanding()));
    }

    private static io.brain.proto.peer.RevisionEvents encode(RevisionEvents events) {
        io.brain.proto.peer.RevisionEvents.Builder message =
                io.brain.proto.peer.RevisionEvents.newBuilder()
                        .setRevision(events.revision())
                        .setInLogOnly(events.inLogOnly());
        for (WatchEvent event : events.events()) {
            Event.Builder one =
                    Event.newBuilder()
                            .setDelete(event.isDelete())
                            .setKv(StoredBytes.wrap(event.kv()));
            if (event.prevKv() != null) {
                one.setPrevKv(StoredBytes.wrap(event.prevKv()));
            }
            message.addEvents(one);
        }
        return message.build();
    }

    private static RevisionEvents decode(io.brain.proto.peer.RevisionEvents message) {
        List<WatchEvent> events = new ArrayList<>(message.getEventsCount());
        for (Event event : message.getEventsList()) {
            Bytes kv = StoredBytes.take(event.getKv());
            events.add(
                    new WatchEvent(
                            KeyValue.decode(kv).key(),
                            message.getRevision(),
                            event.getDelete(),
                            kv,
                            event.hasPrevKv() ? StoredBytes.take(event.getPrevKv()) : null));
        }
        return new RevisionEvents(message.getRevision(), events, message.getInLogOnly());
    }

    private static io.brain.proto.peer.Standing encode(Standing standing) {
        Fence fence = standing.fence();
        return io.brain.proto.peer.Standing.newBuilder()
                .setPoint(encode(standing.point()))
                .setFence(
                        io.brain.proto.peer.Fence.newBuilder()
                                .setEpoch(fence.epoch())
                                .setBatch(fence.batch())
                                .setRevision(fence.revision())
                                .setBytes(fence.bytes())
                                .setKeys(fence.keys())
                                .setToken(fence.token()))
                .setFloor(standing.floor())
                .setAlarms(encode(standing.alarms()))
                .build();
    }

    private static Standing decode(io.brain.proto.peer.Standing message) {
        io.brain.proto.peer.Fence fence = message.getFence();
        return new Standing(
                decode(message.getPoint()),
                new Fence(
                        fence.getEpoch(),
                        fence.getBatch(),
                        fence.getRevision(),
                        fence.getBytes(),
                        fence.getKeys(),
                        fence.getToken()),
                message.getFloor(),
                decode(message.getAlarms()));
    }

    static ReadPointAnswer encode(ReadPoint point) {
        return ReadPointAnswer.newBuilder()
                .setRevision(point.revision())
                .setTimestamp(point.timestamp())
                .build();
    }

    static ReadPoint decode(ReadPointAnswer message) {
        return new ReadPoint(message.getRevision(), message.getTimestamp());
    }

    static io.brain.proto.peer.RaisedAlarms encode(RaisedAlarms raised) {
        io.brain.proto.peer.RaisedAlarms.Builder message =
                io.brain.proto.peer.RaisedAlarms.newBuilder()
                        .setEpoch(raised.epoch())
                        .setChange(raised.change());
        raised.alarms().forEach(alarm -> message.addAlarms(encode(alarm)));
        return message.build();
    }

    static RaisedAlarms decode(io.brain.proto.peer.RaisedAlarms message) {
        SortedSet<Alarm> alarms = new TreeSet<>();
        message.getAlarmsList().forEach(alarm -> alarms.add(decode(alarm)));
        return new RaisedAlarms(message.getEpoch(), message.getChange(), alarms);
    }

    static io.brain.proto.peer.Alarm encode(Alarm alarm) {
        return io.brain.proto.peer.Alarm.newBuilder()
                .setMemberId(alarm.memberId())
                .setKind(alarm.kind())
                .build();
    }

    static Alarm decode(io.brain.proto.peer.Alarm message) {
        return new Alarm(message.getMemberId(), message.getKind());
    }
}
