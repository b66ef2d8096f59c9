package io.brain.server;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * systemd, if it started this process as a service of {@code Type=notify}. It is told by a datagram
 * on a Unix socket, which Java 17 has not, so systemd's own program sends it; the unit therefore
 * needs {@code NotifyAccess=all}.
 */
final class ServiceManager {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);
    private static final String SOCKET = "NOTIFY_SOCKET";
    private static final String PROGRAM = "systemd-notify";
    private static final int SECONDS_MAX = 5;

    private final Map<String, String> environment;
    private final String program;

    /** As the variables of the process say. */
    ServiceManager(Map<String, String> environment) {
        this(environment, PROGRAM);
    }

    /**
     * @param program that is run to tell it
     */
    ServiceManager(Map<String, String> environment, String program) {
        this.environment = environment;
        this.program = program;
    }

    /** Says that clients are served. Does nothing where nobody waits for that. */
    void ready() throws InterruptedException {
        if (environment.getOrDefault(SOCKET, "").isEmpty()) {
            return;
        }
        String problem = tell();
        if (problem != null) {
            LOG.warn("cannot tell systemd that clients are served: {} {}", program, problem);
        }
    }

    /** Null, or what went wrong. */
    private String tell() throws InterruptedException {
        ProcessBuilder notice = new ProcessBuilder(program, "--ready");
        notice.environment().put(SOCKET, environment.get(SOCKET));
        notice.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        notice.redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            Process process = notice.start();
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return "did not end";
            }
            return process.exitValue() == 0 ? null : "ended with " + process.exitValue();
        } catch (IOException missing) {
            return "cannot be run: " + missing.getMessage();
        }
    }
}
