package io.brain.backend.watch;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The response side of one watch stream. A sink that throws ends its own stream and no other.
 * Belongs to the hub's thread.
 */
final class StreamOutput {
    private static final Logger LOG = LoggerFactory.getLogger(StreamOutput.class);

    private final WatchSink sink;
    private final Consumer<StreamOutput> onEnd;
    private boolean ended;

    /**
     * An open stream.
     *
     * @param onEnd runs once, at any point of a response, so it must leave all watchers for later
     */
    StreamOutput(WatchSink sink, Consumer<StreamOutput> onEnd) {
        this.sink = sink;
        this.onEnd = onEnd;
    }

    /** Sends a response; none after the end. */
    void respond(Consumer<WatchSink> response) {
        if (!ended) {
            try {
                response.accept(sink);
            } catch (RuntimeException | Error e) {
                interrupt(e);
            }
        }
    }

    /** True if the transport takes more without queueing. */
    boolean isReady() {
        try {
            return !ended && sink.isReady();
        } catch (RuntimeException | Error e) {
            interrupt(e);
            return false;
        }
    }

    /** Bytes that the client's connection has taken so far. */
    long takenBytes() {
        return sink.takenBytes();
    }

    boolean isEnded() {
        return ended;
    }

    /** Ends the stream with an error. */
    void fail(BackendException cause) {
        respond(to -> to.failed(cause));
        end();
    }

    /** Ends the stream, and the connection, of a client that does not read. */
    void stall() {
        respond(WatchSink::stalled);
        end();
    }

    /** Ends the stream without a response. */
    void end() {
        if (!ended) {
            ended = true;
            onEnd.accept(this);
        }
    }

    /** Ends the stream with a code on which clients resume. */
    private void interrupt(Throwable cause) {
        LOG.warn("watch stream ended: transport failed", cause);
        end();
        try {
            sink.failed(new BackendException(ErrorKind.WATCH_INTERRUPTED));
        } catch (RuntimeException | Error e) {
            LOG.warn("failed watch stream could not be closed", e);
        }
    }
}
