package io.brain.conformance.history;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.all;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.WatchCancelRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import java.util.Random;

/** Makes up requests, one at a time, from a seed and from what was answered so far. */
final class Generator {

    static final RangeRequest EVERYTHING = all().build();

    /** How often everything is read, to know what is there. */
    private static final int LOOK_EVERY = 20;

    private static final int WATCHERS_MAX = 6;
    private static final long[] TTLS = {600, 3_600, 100_000, 9_000_000_000L, 9_000_000_001L};

    private final Random random;
    private final View view;
    private final Choices choices;
    private final TxnMaker txns;
    private int made;
    private int watchers;
    private int cancelled;

    Generator(Random random, View view) {
        this.random = random;
        this.view = view;
        this.choices = new Choices(random, view);
        this.txns = new TxnMaker(random, choices, this);
    }

    /** The next request. A watcher is cancelled by its place among all that were created. */
    Message next() {
        if (made++ % LOOK_EVERY == 0) {
            return EVERYTHING;
        }
        int dice = random.nextInt(1000);
        if (dice < 270) {
            return put().build();
        }
        if (dice < 340) {
            return delete().build();
        }
        if (dice < 560) {
            return txns.txn().build();
        }
        if (dice < 800) {
            return range().build();
        }
        if (dice < 950) {
            return lease(random.nextInt(10));
        }
        if (dice < 975) {
            return watcher();
        }
        return compaction();
    }

    PutRequest.Builder put() {
        return put(choices.key());
    }

    PutRequest.Builder put(ByteString key) {
        PutRequest.Builder put = PutRequest.newBuilder().setKey(key).setPrevKv(choices.oneIn(2));
        boolean ignoreValue = choices.oneIn(12);
        boolean ignoreLease = choices.oneIn(12);
        put.setIgnoreValue(ignoreValue).setIgnoreLease(ignoreLease);
        if (!ignoreValue || choices.oneIn(20)) {
            put.setValue(choices.value());
        }
        if ((!ignoreLease && choices.oneIn(3)) || choices.oneIn(40)) {
            put.setLease(choices.lease());
        }
        return put;
    }

    DeleteRangeRequest.Builder delete() {
        DeleteRangeRequest.Builder delete =
                DeleteRangeRequest.newBuilder().setKey(choices.key()).setPrevKv(choices.oneIn(2));
        return choices.oneIn(3) ? delete.setRangeEnd(choices.end()) : delete;
    }

    RangeRequest.Builder range() {
        RangeRequest.Builder range = RangeRequest.newBuilder().setKey(choices.key());
        if (!choices.oneIn(4)) {
            range.setRangeEnd(choices.end());
        }
        range.setSerializable(choices.oneIn(4));
        range.setCountOnly(choices.oneIn(8));
        if (choices.oneIn(2)) {
            range.setRevision(choices.readRevision());
        }
        if (choices.oneIn(3)) {
            range.setLimit(random.nextInt(7) - 1);
        }
        if (choices.oneIn(3)) {
            range.setSortTargetValue(random.nextInt(5)).setSortOrderValue(random.nextInt(3));
        }
        range.setKeysOnly(choices.oneIn(6));
        for (int filters = random.nextInt(8) - 5; filters > 0; filters--) {
            long bound = choices.revision();
            switch (random.nextInt(4)) {
                case 0 -> range.setMinModRevision(bound);
                case 1 -> range.setMaxModRevision(bound);
                case 2 -> range.setMinCreateRevision(bound);
                default -> range.setMaxCreateRevision(bound);
            }
        }
        return range;
    }

    private Message lease(int dice) {
        if (dice < 3) {
            // Few ids, so that some are taken; now and then the server chooses.
            long id = choices.oneIn(4) ? 0 : 1 + random.nextInt(8);
            return LeaseGrantRequest.newBuilder()
                    .setID(id)
                    .setTTL(TTLS[random.nextInt(TTLS.length)])
                    .build();
        }
        long id = choices.lease();
        if (dice < 5) {
            return LeaseRevokeRequest.newBuilder().setID(id).build();
        }
        if (dice < 7) {
            return LeaseKeepAliveRequest.newBuilder().setID(id).build();
        }
        if (dice < 9) {
            return LeaseTimeToLiveRequest.newBuilder().setID(id).setKeys(!choices.oneIn(4)).build();
        }
        return LeaseLeasesRequest.getDefaultInstance();
    }

    private Message watcher() {
        if (watchers - cancelled >= WATCHERS_MAX) {
            return WatchCancelRequest.newBuilder().setWatchId(cancelled++).build();
        }
        watchers++;
        WatchCreateRequest.Builder watch =
                WatchCreateRequest.newBuilder()
                        .setKey(choices.key())
                        .setPrevKv(choices.oneIn(2))
                        .setFragment(choices.oneIn(4))
                        .setProgressNotify(choices.oneIn(4));
        if (choices.oneIn(2)) {
            watch.setKey(ByteString.copyFromUtf8(ZERO)).setRangeEnd(watch.getKey());
        } else if (choices.oneIn(2)) {
            watch.setRangeEnd(choices.end());
        }
        if (!choices.oneIn(3)) {
            watch.setStartRevision(choices.readRevision());
        }
        for (int filters = random.nextInt(5) - 2; filters > 0; filters--) {
            watch.addFiltersValue(random.nextInt(2));
        }
        if (choices.oneIn(5)) {
            watch.setWatchId(random.nextInt(5) - 2);
        }
        return watch.build();
    }

    private Message compaction() {
        // Mostly a little further, so that there is history to read.
        long step = random.nextInt((int) Math.max(1, (view.revision() - view.floor()) / 2));
        long revision = choices.oneIn(4) ? choices.readRevision() : view.floor() + step + 1;
        return CompactionRequest.newBuilder()
                .setRevision(revision)
                .setPhysical(choices.oneIn(2))
                .build();
    }
}
