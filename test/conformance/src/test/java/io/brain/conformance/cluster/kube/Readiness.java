package io.brain.conformance.cluster.kube;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Asks a kube-apiserver every second whether it is ready. Its account is for after its end. */
final class Readiness implements Runnable {

    private static final Duration EVERY = Duration.ofSeconds(1);

    /** After a kill's end: the server's own check of its store is that far apart. */
    private static final Duration GRACE = Duration.ofSeconds(15);

    private final KubeClient kube;
    private final List<String> outsideKills = new ArrayList<>();
    private volatile boolean stopped;
    private volatile long excusedUntil = System.nanoTime();
    private int asked;
    private int notReady;

    Readiness(KubeClient kube) {
        this.kube = kube;
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                ask();
                Thread.sleep(EVERY.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** From now on it need not be ready. */
    void killed() {
        excusedUntil = Long.MAX_VALUE;
    }

    /** The store is back: a moment later it has to be ready again. */
    void restarted() {
        excusedUntil = System.nanoTime() + GRACE.toNanos();
    }

    void stop() {
        stopped = true;
    }

    /** Times asked. */
    int asked() {
        return asked;
    }

    /** Times that it was not ready, kills included. */
    int notReady() {
        return notReady;
    }

    /** What it answered when it had to be ready and was not. */
    List<String> outsideKills() {
        return outsideKills;
    }

    private void ask() throws InterruptedException {
        // A question that was asked during a kill may be answered after its end.
        boolean excused = System.nanoTime() < excusedUntil;
        String answer;
        try {
            answer = kube.text("/readyz");
        } catch (IOException e) {
            answer = e.toString();
        }
        asked++;
        if (!answer.equals("ok")) {
            notReady++;
            if (!excused && System.nanoTime() >= excusedUntil) {
                outsideKills.add(answer);
            }
        }
    }
}
