package io.brain.bench.shape;

import static io.brain.bench.shape.KvScripts.require;

import io.brain.bench.load.Script;
import io.brain.bench.load.UnexpectedAnswerException;
import io.brain.bench.wire.Answer;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Rpc;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Scripts on ranges of objects with ordered keys. They check each answer. */
final class ListScripts {

    private ListScripts() {}

    /** Lists the first {@code size} keys in one answer. */
    static Script list(KeySpace keys, int size) {
        Range range = Range.of(Requests.range(keys.key(0), keys.key(size), 0, 0), size);
        return ranges(() -> range);
    }

    /** Reads the key that changed last. */
    static Script newest(KeySpace keys, int size) {
        Range range = Range.of(Requests.newest(keys), size);
        return ranges(() -> range);
    }

    /** Lists all keys without values in one answer, {@code times} times. */
    static Script keysOnly(KeySpace keys, int size, int times) {
        Range range =
                Range.of(Requests.range(keys.key(0), keys.end(), 0, 0).setKeysOnly(true), size);
        KvScripts.Numbers numbers = new KvScripts.Numbers(0, times);
        return ranges(() -> numbers.take() < 0 ? null : range);
    }

    /** Lists ranges of random start and length. */
    static Script parts(Objects objects, int lengthMin, int lengthMax, SplittableRandom random) {
        KeySpace keys = objects.keys();
        return ranges(
                () -> {
                    int length = random.nextInt(lengthMin, lengthMax + 1);
                    int from = random.nextInt(objects.count() - length + 1);
                    return Range.of(
                            Requests.range(keys.key(from), keys.key(from + length), 0, 0), length);
                });
    }

    /** Reads the first object from a random key, or the last one before it, or both alternately. */
    static Script cursor(
            Objects objects, CursorShape.Direction direction, SplittableRandom random) {
        KeySpace keys = objects.keys();
        return ranges(
                new Supplier<>() {
                    private boolean descends = direction == CursorShape.Direction.DESCEND;

                    @Override
                    public Range get() {
                        int at = random.nextInt(1, objects.count());
                        Range range =
                                descends
                                        ? Range.of(Requests.last(keys, at), at)
                                        : Range.of(Requests.first(keys, at), objects.count() - at);
                        descends ^= direction == CursorShape.Direction.BOTH;
                        return range;
                    }
                });
    }

    /** Reads ranges until there are no more. */
    static Script ranges(Supplier<Range> ranges) {
        return new KvScripts.OneCall() {
            private Range range;

            @Override
            public Request begin() {
                range = ranges.get();
                return range == null ? null : new Request(Rpc.RANGE, range.request());
            }

            @Override
            void check(Answer answer) throws UnexpectedAnswerException {
                require(answer.items() == range.items(), "a list of " + answer.items() + " keys");
                require(answer.count() == range.count(), "a list's count of " + answer.count());
                require(
                        answer.more() == (range.items() < range.count()),
                        "a list has a wrong 'more'");
            }
        };
    }

    /** Counts all keys. */
    static Script count(KeySpace keys, int size) {
        byte[] request =
                Requests.range(keys.key(0), keys.end(), 0, 0)
                        .setCountOnly(true)
                        .build()
                        .toByteArray();
        return new KvScripts.OneCall() {
            @Override
            public Request begin() {
                return new Request(Rpc.RANGE, request);
            }

            @Override
            void check(Answer answer) throws UnexpectedAnswerException {
                require(answer.count() == size, "a count of " + answer.count());
            }
        };
    }

    /** Lists all keys in pages like kube-apiserver: at the revision of the first page. */
    static Script pages(KeySpace keys, int size, int limit) {
        return new Script() {
            private int listed;
            private long revision;

            @Override
            public Request begin() {
                listed = 0;
                revision = 0;
                return page(keys.key(0));
            }

            @Override
            public Request proceed(Answer answer) throws UnexpectedAnswerException {
                int left = size - listed;
                require(answer.count() == left, "a page's count of " + answer.count());
                require(answer.items() == Math.min(limit, left), "a page is not full");
                listed += answer.items();
                require(answer.more() == (listed < size), "a page has a wrong 'more'");
                if (listed == size) {
                    return null;
                }
                revision = revision == 0 ? answer.revision() : revision;
                byte[] last = keys.key(listed - 1);
                return page(Arrays.copyOf(last, last.length + 1));
            }

            private Request page(byte[] from) {
                return new Request(
                        Rpc.RANGE,
                        Requests.range(from, keys.end(), limit, revision).build().toByteArray());
            }
        };
    }
}
