package io.brain.server.logging;

import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import io.brain.server.config.BrainConfig.Access;
import io.brain.transfer.etcd.PrivateFiles;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The log of all calls. A thread writes the lines; if its queue is full, lines are dropped and
 * counted. Thread-safe.
 */
public final class AccessLog implements AutoCloseable {
    /** About 10 MB of lines with long keys. */
    static final int QUEUE_MAX = 8192;

    private static final int BATCH_MAX = 256;
    private static final int OLD_FILES = 4;
    private static final long POLL_MILLIS = 200;
    private static final long SIZE_CHECK_MILLIS = 1000;
    private static final long JOIN_MILLIS_MAX = 2000;

    private final BlockingQueue<AccessLine> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
    private final LongAdder written = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final OutputStreamAppender<AccessLine> out;
    private final Thread thread = new Thread(this::run, "brain-access-log");
    private volatile boolean closed;

    /** Creates a log to {@code out}, and closes that with the log. */
    AccessLog(OutputStreamAppender<AccessLine> out) {
        this.out = out;
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Opens a log.
     *
     * @throws IOException if the file cannot be written to
     */
    public static AccessLog open(Access access) throws IOException {
        return new AccessLog(appender(access));
    }

    /** Queues a line; never blocks. */
    public void write(AccessLine line) {
        if (closed || !queue.offer(line)) {
            dropped.increment();
        }
    }

    /** Number of lines written. */
    public long written() {
        return written.sum();
    }

    /** Number of lines dropped because the queue was full. */
    public long dropped() {
        return dropped.sum();
    }

    private static OutputStreamAppender<AccessLine> appender(Access access) throws IOException {
        Context context = new ContextBase();
        AccessEncoder encoder = new AccessEncoder();
        encoder.setContext(context);
        encoder.start();
        OutputStreamAppender<AccessLine> appender =
                access.file() == null ? new ConsoleAppender<>() : file(access, context);
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.start();
        if (!appender.isStarted()) {
            throw new IOException(
                    "--brain-access-log: " + context.getStatusManager().getCopyOfStatusList());
        }
        return appender;
    }

    private static RollingFileAppender<AccessLine> file(Access access, Context context)
            throws IOException {
        Path file = access.file().toAbsolutePath();
        try {
            PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND).close();
        } catch (IOException unusable) {
            throw new IOException(
                    "--brain-access-log: cannot write to " + file + ": " + reason(unusable),
                    unusable);
        }
        RollingFileAppender<AccessLine> appender = new PrivateAppender();
        appender.setFile(file.toString());
        SizeBasedTriggeringPolicy<AccessLine> size = new SizeBasedTriggeringPolicy<>();
        size.setContext(context);
        size.setMaxFileSize(new FileSize(access.fileBytes()));
        size.setCheckIncrement(Duration.buildByMilliseconds(SIZE_CHECK_MILLIS));
        size.start();
        FixedWindowRollingPolicy old = new FixedWindowRollingPolicy();
        old.setContext(context);
        old.setParent(appender);
        old.setFileNamePattern(file + ".%i");
        old.setMinIndex(1);
        old.setMaxIndex(OLD_FILES);
        old.start();
        appender.setTriggeringPolicy(size);
        appender.setRollingPolicy(old);
        return appender;
    }

    private static String reason(IOException unusable) {
        if (unusable instanceof NoSuchFileException) {
            return "its directory does not exist";
        }
        if (unusable instanceof AccessDeniedException) {
            return "permission denied";
        }
        String reason = unusable instanceof FileSystemException failed ? failed.getReason() : null;
        return reason == null ? unusable.getMessage() : reason;
    }

    private void run() {
        List<AccessLine> batch = new ArrayList<>();
        try {
            while (!closed || !queue.isEmpty()) {
                AccessLine first = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    queue.drainTo(batch, BATCH_MAX - 1);
                    writeBatch(batch);
                    batch.clear();
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            out.stop();
        }
    }

    /** Writes a batch with one flush. */
    private void writeBatch(List<AccessLine> batch) {
        for (int i = 0; i < batch.size(); i++) {
            out.setImmediateFlush(i == batch.size() - 1);
            out.doAppend(batch.get(i));
        }
        written.add(batch.size());
    }

    /** Writes the queued lines, for at most two seconds, and stops. */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join(JOIN_MILLIS_MAX);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Also creates the file after a rotation for its owner only. */
    private static final class PrivateAppender extends RollingFileAppender<AccessLine> {
        @Override
        public void openFile(String name) throws IOException {
            PrivateFiles.create(Path.of(name));
            super.openFile(name);
        }
    }
}
