package io.brain.backend.read;

import io.brain.backend.count.KeyCounts;
import io.brain.backend.count.Run;
import io.brain.backend.count.Stretch;
import io.brain.backend.key.KeyCoder;
import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import java.util.Objects;

/** A walk that, where only the number of keys is asked for, leaves out what was counted before. */
final class CountedWalk implements LiveKeys {
    private final KeyWalk walk;
    private final Snapshot snapshot;
    private final KeySpan span;
    private final KeyCoder coder;
    private final long revision;
    private final KeyCounts counts;
    private boolean started;

    /** Takes over the walk, which goes over the span at the revision, and has not begun. */
    CountedWalk(
            KeyWalk walk,
            Snapshot snapshot,
            KeySpan span,
            KeyCoder coder,
            long revision,
            KeyCounts counts) {
        this.walk = walk;
        this.snapshot = snapshot;
        this.span = span;
        this.coder = coder;
        this.revision = revision;
        this.counts = counts;
    }

    @Override
    public boolean next() {
        started = true;
        return walk.next();
    }

    @Override
    public Bytes key() {
        return walk.key();
    }

    @Override
    public long modRevision() {
        return walk.modRevision();
    }

    @Override
    public Bytes kv() {
        return walk.kv();
    }

    @Override
    public int addKv(PackedKvs kvs) {
        return walk.addKv(kvs);
    }

    @Override
    public int addBareKv(PackedKvs kvs) {
        return walk.addBareKv(kvs);
    }

    @Override
    public long countRest(Meter meter) {
        if (started && !walk.isOnKey()) {
            return 0;
        }
        Bytes from = started ? walk.key().successor() : span.key();
        long count = 0;
        while (true) {
            Run known = counts.next(from, span.end(), revision);
            Bytes to = known == null ? span.end() : known.from();
            if (!from.equals(to)) {
                count += walkOver(from, to, meter);
            }
            if (known == null) {
                return count;
            }
            count += known.keys();
            if (Objects.equals(known.to(), span.end())) {
                return count;
            }
            from = known.to();
        }
    }

    /** Counts one by one, and tells what there was. */
    private long walkOver(Bytes from, Bytes to, Meter meter) {
        Stretch seen = counts.stretch(from);
        KeySpan rest = new KeySpan(from, to, false);
        try (KeyWalk keys = new KeyWalk(snapshot, coder, rest, revision)) {
            while (keys.next()) {
                meter.passKey();
                if (seen.isFull()) {
                    seen.begin(keys.key());
                }
                seen.count();
            }
        }
        long count = seen.keys();
        counts.learn(seen, to, revision);
        return count;
    }

    @Override
    public void close() {
        walk.close();
    }
}
