package io.brain.conformance.history;

import com.google.protobuf.ByteString;
import io.brain.conformance.script.Requests;
import io.brain.proto.mvcc.KeyValue;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Keys, values, revisions and leases to choose from: few, so that requests meet. */
final class Choices {

    /** Bytes that sort next to each other, and the lowest and the highest. */
    private static final List<ByteString> KEYS =
            List.of(
                            "\0",
                            "\0\0",
                            "$",
                            "%",
                            "%%",
                            "a",
                            "a\0",
                            "a$",
                            "a%",
                            "ab",
                            "b",
                            "k/1",
                            "k/2",
                            "\u00ff",
                            "\u00ff\u00ff")
                    .stream()
                    .map(Requests::bytes)
                    .toList();

    private static final List<ByteString> ENDS =
            List.of("\0", "$", "&", "a", "b", "c", "k/", "k0", "\u00ff").stream()
                    .map(Requests::bytes)
                    .toList();

    private static final List<String> VALUES = List.of("", "x", "y", "\0", "\u00ff\u00fe");
    private static final int LONG_VALUE_BYTES_MAX = 300;
    private static final long UNKNOWN_LEASE = 12_345;

    private final Random random;
    private final View view;

    Choices(Random random, View view) {
        this.random = random;
        this.view = view;
    }

    boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    /** A key; very seldom none. */
    ByteString key() {
        return oneIn(300) ? ByteString.EMPTY : pick(KEYS);
    }

    /** A range's end, or one zero byte for no end. */
    ByteString end() {
        return oneIn(4) ? pick(KEYS) : pick(ENDS);
    }

    ByteString value() {
        return oneIn(5)
                ? Requests.large(random.nextInt(LONG_VALUE_BYTES_MAX))
                : Requests.bytes(pick(VALUES));
    }

    /** A lease that is there; if there is none, no lease; seldom one that is not there. */
    long lease() {
        if (oneIn(20)) {
            return UNKNOWN_LEASE;
        }
        return view.leases().isEmpty() ? 0 : pick(view.leases());
    }

    /** Some revision of the history, for bounds and operands. */
    long revision() {
        return view.floor() + random.nextInt((int) (view.revision() - view.floor()) + 2);
    }

    /** A revision to read at: mostly readable, sometimes just not. */
    long readRevision() {
        return switch (random.nextInt(12)) {
            case 0 -> view.floor();
            case 1 -> view.floor() - 1;
            case 2 -> view.revision();
            case 3 -> view.revision() + 1;
            case 4 -> oneIn(2) ? -1 - random.nextInt(3) : 0;
            case 5 -> oneIn(4) ? Long.MAX_VALUE : view.revision() + 2;
            default -> revision();
        };
    }

    /** What is known of a key. */
    Optional<KeyValue> known(ByteString key) {
        return view.keys().stream().filter(kv -> kv.getKey().equals(key)).findAny();
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
