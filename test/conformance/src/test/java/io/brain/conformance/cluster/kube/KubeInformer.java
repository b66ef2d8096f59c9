package io.brain.conformance.cluster.kube;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Follows a list the way controllers do: one list, then watches, each from where the last one
 * ended; a new list only when the history is gone.
 */
final class KubeInformer implements Runnable {

    private static final int PAUSE_MILLIS = 100;

    private final KubeClient kube;
    private final String path;
    private final Map<String, Long> objects = new ConcurrentSkipListMap<>();
    private volatile Optional<Throwable> failure = Optional.empty();
    private volatile boolean stopped;
    private final AtomicInteger lists = new AtomicInteger();
    private final AtomicInteger watches = new AtomicInteger();
    private final AtomicInteger errors = new AtomicInteger();
    private long version;

    KubeInformer(KubeClient kube, String path) {
        this.kube = kube;
        this.path = path;
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                if (version == 0) {
                    list();
                } else {
                    watch();
                }
            }
        } catch (RuntimeException | AssertionError e) {
            failure = Optional.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void stop() {
        stopped = true;
    }

    /** The objects seen last, and their resource versions. */
    Map<String, Long> objects() {
        return objects;
    }

    /** What was wrong, if anything. */
    Optional<Throwable> failure() {
        return failure;
    }

    int lists() {
        return lists.get();
    }

    int watches() {
        return watches.get();
    }

    /** Errors that a watch ended with, but for "too old". */
    int errors() {
        return errors.get();
    }

    private void list() throws InterruptedException {
        try {
            JsonObject list = kube.get(path).orFail();
            objects.clear();
            KubeObjects.items(list)
                    .forEach(o -> objects.put(KubeObjects.name(o), KubeObjects.resourceVersion(o)));
            version = KubeObjects.resourceVersion(list);
            lists.incrementAndGet();
        } catch (IOException | AssertionError notNow) {
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private void watch() throws InterruptedException {
        try (KubeWatch watch = kube.watch(path, version)) {
            watches.incrementAndGet();
            while (!stopped && version != 0) {
                Optional<KubeWatch.Event> event = watch.next(Duration.ofMillis(200));
                if (event.isPresent()) {
                    apply(event.get());
                } else if (watch.hasEnded()) {
                    return;
                }
            }
        } catch (IOException notNow) {
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private void apply(KubeWatch.Event event) {
        if (event.type().equals("ERROR")) {
            boolean gone = event.object().get("code").getAsInt() == 410;
            version = gone ? 0 : version;
            errors.addAndGet(gone ? 0 : 1);
            return;
        }
        long next = event.resourceVersion();
        boolean isBookmark = event.type().equals("BOOKMARK");
        if (next < version || (next == version && !isBookmark)) {
            throw new AssertionError(event.type() + " at " + next + " came after " + version);
        }
        version = next;
        if (event.type().equals("DELETED")) {
            objects.remove(event.name());
        } else if (!isBookmark) {
            objects.put(event.name(), next);
        }
    }
}
