package io.brain.bench.shape;

import static io.brain.bench.shape.KvScripts.require;

import io.brain.bench.load.Script;
import io.brain.bench.load.UnexpectedAnswerException;
import io.brain.bench.wire.Answer;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Rpc;
import java.util.Arrays;

/** What clients do with ranges of objects whose keys are in order. All answers are checked. */
final class ListScripts {

    private ListScripts() {}

    /** Lists the first so many in one answer. */
    static Script list(KeySpace keys, int size) {
        byte[] request = Requests.range(keys.key(0), keys.key(size), 0, 0).build().toByteArray();
        return new KvScripts.OneCall() {
            @Override
            public Request begin() {
                return new Request(Rpc.RANGE, request);
            }

            @Override
            void check(Answer answer) throws UnexpectedAnswerException {
                require(answer.items() == size && answer.count() == size, "a list is not whole");
            }
        };
    }

    /** Counts all. */
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

    /**
     * Lists all in pages as kube-apiserver does: at the first page's revision, after its last key.
     */
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
                require(answer.more() == (listed < size), "a page is wrong about more");
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
