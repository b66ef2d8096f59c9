package io.brain.backend.cluster.link;

/**
 * The event stream from the leader to one follower, on the leader. It sends updates to a {@link
 * EventTarget}; on the follower a {@link EventSink} receives them. Both ends limit the updates in
 * flight. Thread-safe; never blocks.
 */
public interface EventStream extends AutoCloseable {
    /** To be called when {@link EventTarget#isReady} becomes true. */
    void ready();

    /** To be called when the follower has disconnected. */
    @Override
    void close();

    /** The transport on the leader. Called by one thread at a time. */
    interface EventTarget {
        /** The follower's member id as the follower states it; 0: unknown. */
        default long member() {
            return 0;
        }

        /** True if the transport can send an update without queueing it. */
        boolean isReady();

        void send(LeaderUpdate update);

        /** Ends the stream because this node does not lead. */
        void end();
    }

    /** The receiver on the follower. Called by one thread at a time; must not block. */
    interface EventSink {
        /**
         * Receives the next update.
         *
         * @param processed to be called, by any thread, when the next update may be sent
         */
        void update(LeaderUpdate update, Runnable processed);

        /** The stream has ended for any reason; called once, after all updates. */
        void ended();
    }
}
