package io.brain.bench.shape;

import io.brain.bench.load.Script;
import io.brain.bench.load.UnexpectedAnswerException;
import io.brain.bench.wire.Answer;
import io.brain.bench.wire.GuardedTemplate;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Rpc;
import io.brain.bench.wire.Template;
import java.util.SplittableRandom;

/** Scripts on single objects. */
final class KvScripts {

    private KvScripts() {}

    /** Numbers shared by clients. Confined to the event loop. */
    static final class Numbers {
        private final long end;
        private long next;

        Numbers(long first, long end) {
            this.next = first;
            this.end = end;
        }

        /** -1 if there is none left. */
        long take() {
            return next < end ? next++ : -1;
        }
    }

    /** Puts random objects, unconditionally. */
    static Script put(Objects objects, Template put, SplittableRandom random) {
        return new OneCall() {
            @Override
            public Request begin() {
                return new Request(Rpc.PUT, put.of(random.nextInt(objects.count())));
            }

            @Override
            void check(Answer answer) throws UnexpectedAnswerException {
                require(answer.revision() > 0, "a put without a revision");
            }
        };
    }

    /** Reads random objects. */
    static Script get(Objects objects, Template get, SplittableRandom random) {
        return new OneCall() {
            @Override
            public Request begin() {
                return new Request(Rpc.RANGE, get.of(random.nextInt(objects.count())));
            }

            @Override
            void check(Answer answer) throws UnexpectedAnswerException {
                require(answer.items() == 1, "a key is missing");
            }
        };
    }

    /** Creates objects. */
    static Script create(Numbers numbers, GuardedTemplate create) {
        return new OneCall() {
            @Override
            public Request begin() {
                long number = numbers.take();
                return number < 0 ? null : new Request(Rpc.TXN, create.of(number, 0));
            }

            @Override
            void check(Answer answer) throws UnexpectedAnswerException {
                require(answer.succeeded(), "a new key exists");
            }
        };
    }

    /** Updates every {@code clients}th object, starting at {@code mine}. */
    static Script update(Objects objects, GuardedTemplate update, int mine, int clients) {
        return new OneCall() {
            private int current = mine - clients;

            @Override
            public Request begin() {
                current += clients;
                if (current >= objects.count()) {
                    current = mine;
                }
                long number = objects.first() + current;
                return new Request(Rpc.TXN, update.of(number, objects.revisions()[current]));
            }

            @Override
            void check(Answer answer) throws UnexpectedAnswerException {
                require(answer.succeeded(), "a key has an unexpected revision");
                objects.revisions()[current] = answer.revision();
            }
        };
    }

    /** Deletes objects. */
    static Script delete(Objects objects, GuardedTemplate delete, Numbers indexes) {
        return new OneCall() {
            @Override
            public Request begin() {
                int index = (int) indexes.take();
                return index < 0
                        ? null
                        : new Request(
                                Rpc.TXN,
                                delete.of(objects.first() + index, objects.revisions()[index]));
            }

            @Override
            void check(Answer answer) throws UnexpectedAnswerException {
                require(answer.succeeded(), "a key has an unexpected revision");
            }
        };
    }

    /** Creates objects, and deletes each immediately. */
    static Script createAndDelete(Numbers numbers, GuardedTemplate create, GuardedTemplate delete) {
        return new Script() {
            private long number;
            private boolean created;

            @Override
            public Request begin() {
                number = numbers.take();
                created = false;
                return number < 0 ? null : new Request(Rpc.TXN, create.of(number, 0));
            }

            @Override
            public Request proceed(Answer answer) throws UnexpectedAnswerException {
                require(answer.succeeded(), "a new key has another revision");
                if (created) {
                    return null;
                }
                created = true;
                return new Request(Rpc.TXN, delete.of(number, answer.revision()));
            }
        };
    }

    /** Chooses one of two scripts at random. */
    static Script mixed(Script often, Script seldom, double share, SplittableRandom random) {
        return new Script() {
            private Script current = often;

            @Override
            public Request begin() {
                current = random.nextDouble() < share ? often : seldom;
                return current.begin();
            }

            @Override
            public Request proceed(Answer answer) throws UnexpectedAnswerException {
                return current.proceed(answer);
            }
        };
    }

    /** Grants, uses and revokes leases. */
    static Script lease(KeySpace keys, Numbers numbers) {
        return new LeaseScript(keys, numbers, Requests.value(64));
    }

    static void require(boolean holds, String what) throws UnexpectedAnswerException {
        if (!holds) {
            throw new UnexpectedAnswerException(what);
        }
    }

    /** An operation of one call. */
    abstract static class OneCall implements Script {

        abstract void check(Answer answer) throws UnexpectedAnswerException;

        @Override
        public final Request proceed(Answer answer) throws UnexpectedAnswerException {
            check(answer);
            return null;
        }
    }
}
