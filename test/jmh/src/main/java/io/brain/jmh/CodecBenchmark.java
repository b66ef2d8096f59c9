package io.brain.jmh;

import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What every write, and every read key, passes: keys and records of a 512-byte object. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CodecBenchmark {
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final Bytes key = Bytes.utf8("/registry/pods/ns-00012/pod-000000123");
    private final Bytes value = Bytes.wrap(new byte[512]);
    private final Bytes kv = KeyValueCodec.encode(key, 1_000_000, 2_000_000, 3, value, 0);
    private final Bytes record = new VersionRecord(2_000_000, 0, kv).encode();
    private final Bytes historyKey = coder.historyKey(key, 2_000_000);

    /** Where a replaced version of a key is stored. */
    @Benchmark
    public Bytes historyKey() {
        return coder.historyKey(key, 2_000_000);
    }

    /** The key that a stored key is of. */
    @Benchmark
    public Bytes keyOfHistory() {
        return coder.keyOfHistory(historyKey);
    }

    /** A KeyValue, as it is stored and sent. */
    @Benchmark
    public Bytes encodeKeyValue() {
        return KeyValueCodec.encode(key, 1_000_000, 2_000_000, 3, value, 0);
    }

    /** The numbers of a KeyValue. */
    @Benchmark
    public KeyValue decodeKeyValue() {
        return KeyValue.decode(kv);
    }

    /** What is stored for a version. */
    @Benchmark
    public Bytes encodeVersion() {
        return new VersionRecord(2_000_000, 0, kv).encode();
    }

    /** A version that was read. */
    @Benchmark
    public VersionRecord decodeVersion() {
        return VersionRecord.decode(record);
    }

    /** What watchers get for a put, the first of them. */
    @Benchmark
    public Bytes encodeEvent() {
        return new WatchEvent(key, 2_000_000, false, kv, null).encoded(false);
    }
}
