package io.brain.storage.rocksdb;

import java.util.ArrayDeque;
import java.util.Deque;

/** Owns native objects and frees them in reverse order of creation. */
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
                throw new AssertionError("native close failed", e);
            }
        }
    }
}
