package io.brain.server.process;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies systemd if it started this process as a service of {@code Type=notify}. The notification
 * is a datagram on a Unix socket, which Java 17 does not support, so {@code systemd-notify} sends
 * it; the unit needs {@code NotifyAccess=all}.
 */
public final class ServiceManager {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);
    private static final String SOCKET = "NOTIFY_SOCKET";
    private static final String PROGRAM = "systemd-notify";
    private static final int SECONDS_MAX = 5;

    private final Map<String, String> environment;
    private final String program;

    /** Reads {@code NOTIFY_SOCKET} from the environment. */
    public ServiceManager(Map<String, String> environment) {
        this(environment, PROGRAM);
    }

    /**
     * @param program sends the notification
     */
    ServiceManager(Map<String, String> environment, String program) {
        this.environment = environment;
        this.program = program;
    }

    /** Reports that the server is ready. Does nothing without {@code NOTIFY_SOCKET}. */
    public void ready() throws InterruptedException {
        if (environment.getOrDefault(SOCKET, "").isEmpty()) {
            return;
        }
        String problem = send();
        if (problem != null) {
            LOG.warn("systemd notification failed program={} error={}", program, problem);
        }
    }

    /** Returns null, or the error. */
    private String send() throws InterruptedException {
        ProcessBuilder notice = new ProcessBuilder(program, "--ready");
        notice.environment().put(SOCKET, environment.get(SOCKET));
        notice.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        notice.redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            Process process = notice.start();
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return "timed out";
            }
            return process.exitValue() == 0 ? null : "exited with code " + process.exitValue();
        } catch (IOException missing) {
            return "cannot be started: " + missing.getMessage();
        }
    }
}
