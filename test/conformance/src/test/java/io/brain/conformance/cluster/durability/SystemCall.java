package io.brain.conformance.cluster.durability;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One finished system call on a descriptor, as strace saw it.
 *
 * @param name such as {@code fdatasync}
 * @param target what the descriptor is: a path, or {@code TCP:[HERE->THERE]}
 * @param bytes what was written, one char per byte; empty for a call that writes nothing; what
 *     strace cut off a long buffer is one zero
 * @param result the return value
 * @param startNanos when the call was entered: strace lets it begin only after noting this
 * @param endNanos when it had returned: strace lets its thread go on only after noting this
 */
record SystemCall(
        String name, String target, String bytes, long result, long startNanos, long endNanos) {

    /** The strace flags that give the lines read here, one file per thread. */
    static final String[] STRACE_FLAGS = {
        "-ff",
        "-yy",
        "-xx",
        "-s",
        "65536",
        "--seccomp-bpf",
        "--signal=none",
        "--absolute-timestamps=format:unix,precision:ns",
        "--syscall-times=ns",
        "-e",
        "trace=write,writev,pwrite64,pwritev,pwritev2,sendto,sendmsg,fsync,fdatasync"
    };

    private static final Pattern LINE =
            Pattern.compile(
                    "(?<s>\\d+)\\.(?<ns>\\d{9}) (?<name>\\w+)\\(\\d+<(?<target>.*?)>(?<rest>[,)].*)"
                            + " = (?<result>-?\\d+)[^=]* <(?<ts>\\d+)\\.(?<tns>\\d{9})>");
    private static final Pattern STRING =
            Pattern.compile("\"((?:\\\\x[0-9a-f]{2})*)\"(\\.\\.\\.)?");
    private static final String SOCKET = "TCP";
    private static final String CUT_OFF = "\0";
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** Reads a line; empty for one that is no finished call on a descriptor. */
    static Optional<SystemCall> parse(String line) {
        Matcher m = LINE.matcher(line);
        if (!m.matches()) {
            return Optional.empty();
        }
        long start = nanos(m.group("s"), m.group("ns"));
        String target = path(m.group("target"));
        long result = Long.parseLong(m.group("result"));
        return Optional.of(
                new SystemCall(
                        m.group("name"),
                        target,
                        written(target, m.group("rest"), result),
                        result,
                        start,
                        start + nanos(m.group("ts"), m.group("tns"))));
    }

    boolean isSocket() {
        return target.startsWith(SOCKET);
    }

    boolean isSync() {
        return name.equals("fsync") || name.equals("fdatasync");
    }

    private static String path(String target) {
        // -yy leaves sockets readable and -xx makes paths hexadecimal.
        return target.startsWith("\\x") ? decode(target) : target;
    }

    /**
     * All buffers of the call, one after the other, as far as they were taken. strace cuts long
     * ones: in a file that only hides values, and a value that is not seen is never proven; in a
     * connection it would move the frames behind it.
     */
    private static String written(String target, String arguments, long result) {
        if (result <= 0) {
            return "";
        }
        StringBuilder all = new StringBuilder();
        Matcher m = STRING.matcher(arguments);
        while (m.find()) {
            boolean isCut = m.group(2) != null;
            if (isCut && target.startsWith(SOCKET)) {
                throw new IllegalArgumentException("strace has cut an answer: raise its -s");
            }
            all.append(decode(m.group(1))).append(isCut ? CUT_OFF : "");
        }
        return all.substring(0, Math.toIntExact(Math.min(result, all.length())));
    }

    private static String decode(String hex) {
        StringBuilder text = new StringBuilder(hex.length() / 4);
        for (int i = 0; i < hex.length(); i += 4) {
            text.append((char) Integer.parseInt(hex, i + 2, i + 4, 16));
        }
        return text.toString();
    }

    private static long nanos(String seconds, String fraction) {
        return Long.parseLong(seconds) * NANOS_PER_SECOND + Long.parseLong(fraction);
    }
}
