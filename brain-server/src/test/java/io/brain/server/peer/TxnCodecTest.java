package io.brain.server.peer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.backend.cluster.link.LeaderCommand.RunTxn;
import io.brain.backend.model.Compare;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.model.Txn;
import io.brain.proto.peer.CommandRequest;
import io.brain.proto.peer.CommandResponse;
import io.brain.server.grpc.ByteStrings;
import io.brain.storage.Bytes;
import io.grpc.MethodDescriptor.Marshaller;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Encodes and decodes random transactions; failures name the seed. */
class TxnCodecTest {
    private static final int ROUNDS = 2000;

    private Random random;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void transactionsAreDecodedUnchanged(long seed) {
        random = new Random(seed);
        for (int i = 0; i < ROUNDS; i++) {
            Txn txn = txn(3);
            CommandRequest sent = CommandCodec.encode(new RunTxn(txn, i));
            CommandRequest got = transmit(PeerMethods.SUBMIT.getRequestMarshaller(), sent);
            assertThat(CommandCodec.decode(got))
                    .as("seed %d, round %d", seed, i)
                    .isEqualTo(new RunTxn(txn, i));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void resultsAreDecodedUnchanged(long seed) {
        random = new Random(seed);
        for (int i = 0; i < ROUNDS; i++) {
            OpResult.Txn result = txnResult(3);
            CommandResponse sent = CommandCodec.encodeResult(new Reply<>(result, Reservation.NONE));
            CommandResponse got = transmit(PeerMethods.SUBMIT.getResponseMarshaller(), sent);
            assertThat(((Reply<?>) CommandCodec.decodeResult(got)).answer())
                    .as("seed %d, round %d", seed, i)
                    .isEqualTo(result);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100_000, 5 << 20})
    void bytesAreUnwrappedUnchanged(int length) {
        byte[] array = new byte[length];
        new Random(length).nextBytes(array);
        assertThat(ByteStrings.unwrap(ByteStrings.wrap(Bytes.wrap(array))).array())
                .isEqualTo(array);
        if (length > 0) {
            ByteString whole = ByteStrings.wrap(Bytes.wrap(array));
            assertThat(ByteStrings.unwrap(whole).array()).isSameAs(array);
            ByteString part = whole.substring(1);
            assertThat(ByteStrings.unwrap(part)).isEqualTo(Bytes.copyOf(array, 1, length - 1));
            assertThat(ByteStrings.unwrap(whole.concat(part)))
                    .isEqualTo(Bytes.wrap(array).concat(Bytes.copyOf(array, 1, length - 1)));
        }
    }

    private static <M> M transmit(Marshaller<M> marshaller, M message) {
        return marshaller.parse(marshaller.stream(message));
    }

    private Txn txn(int depth) {
        return new Txn(list(3, this::compare), ops(depth), ops(depth));
    }

    private List<Op> ops(int depth) {
        return list(3, () -> op(depth));
    }

    private Op op(int depth) {
        return switch (random.nextInt(depth > 0 ? 4 : 3)) {
            case 0 -> new Op.Range(query());
            case 1 -> put();
            case 2 -> new Op.Delete(span(), random.nextBoolean());
            default -> new Op.Nested(txn(depth - 1));
        };
    }

    private RangeQuery query() {
        return new RangeQuery(
                span(),
                number(),
                number(),
                any(SortOrder.values()),
                any(SortTarget.values()),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean()
                        ? RevisionFilter.NONE
                        : new RevisionFilter(number(), number(), number(), number()));
    }

    /** A valid put: without an ignored value or lease. */
    private Op.Put put() {
        boolean ignoreValue = random.nextBoolean();
        boolean ignoreLease = random.nextBoolean();
        return new Op.Put(
                key(),
                ignoreValue ? Bytes.EMPTY : bytes(),
                ignoreLease ? 0 : number(),
                random.nextBoolean(),
                ignoreValue,
                ignoreLease);
    }

    /** A compare as clients send it: with the target's number, a value, or neither. */
    private Compare compare() {
        Compare.Target target = any(Compare.Target.values());
        boolean numeric = target != Compare.Target.VALUE && target != Compare.Target.UNKNOWN;
        boolean number = numeric && random.nextBoolean();
        return new Compare(
                span(),
                target,
                any(Compare.Relation.values()),
                number ? number() : 0,
                number ? Bytes.EMPTY : bytes());
    }

    private KeySpan span() {
        return switch (random.nextInt(3)) {
            case 0 -> KeySpan.of(key());
            case 1 -> KeySpan.of(key(), Bytes.wrap(new byte[1]));
            default -> KeySpan.of(key(), key());
        };
    }

    private OpResult.Txn txnResult(int depth) {
        return new OpResult.Txn(number(), random.nextBoolean(), list(4, () -> result(depth)));
    }

    private OpResult result(int depth) {
        return switch (random.nextInt(depth > 0 ? 4 : 3)) {
            case 0 ->
                    new OpResult.Range(
                            number(), list(4, this::bytes), random.nextBoolean(), number());
            case 1 -> new OpResult.Put(number(), random.nextBoolean() ? null : bytes());
            case 2 -> new OpResult.Delete(number(), number(), list(4, this::bytes));
            default -> txnResult(depth - 1);
        };
    }

    private long number() {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextInt(1000);
            case 2 -> -1 - random.nextInt(1000);
            default -> random.nextLong();
        };
    }

    private Bytes key() {
        byte[] key = new byte[1 + random.nextInt(4)];
        random.nextBytes(key);
        return Bytes.wrap(key);
    }

    private Bytes bytes() {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        return Bytes.wrap(bytes);
    }

    private <T> T any(T[] all) {
        return all[random.nextInt(all.length)];
    }

    private <T> List<T> list(int most, Supplier<T> each) {
        List<T> list = new ArrayList<>();
        for (int n = random.nextInt(most + 1); n > 0; n--) {
            list.add(each.get());
        }
        return list;
    }
}
