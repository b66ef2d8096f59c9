package io.brain.storage.rocksdb;

import java.util.ArrayDeque;
import java.util.Deque;

/** Objects with native memory, freed together in the reverse order of their creation. */
final class Natives implements AutoCloseable {
    private final Deque<AutoCloseable> objects = new ArrayDeque<>();

    <T extends AutoCloseable> T own(T object) {
        objects.addLast(object);
        return object;
    }

    @Override
    public void close() {
        while (!objects.isEmpty()) {
            try {
                objects.removeLast().close();
            } catch (Exception e) {
                throw new AssertionError("closing what is native throws nothing", e);
            }
        }
    }
}
