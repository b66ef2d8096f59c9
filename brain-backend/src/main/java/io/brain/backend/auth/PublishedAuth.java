package io.brain.backend.auth;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/** The newest durable state that a node knows, of its own term or from a leader. Thread-safe. */
public final class PublishedAuth {
    private final AtomicReference<AuthState> current;
    private final List<Runnable> onChange = new CopyOnWriteArrayList<>();

    /** Begins with a stored state. */
    public PublishedAuth(AuthState stored) {
        current = new AtomicReference<>(stored);
    }

    public AuthState current() {
        return current.get();
    }

    /** Replaces the state, unless it is newer. */
    public void publish(AuthState state) {
        AuthState before = current.get();
        AuthState after =
                current.accumulateAndGet(
                        state, (one, other) -> other.version() > one.version() ? other : one);
        if (after != before) {
            onChange.forEach(Runnable::run);
        }
    }

    /** Adds an action that runs after each change; must not block. */
    public void onChange(Runnable action) {
        onChange.add(action);
    }
}
