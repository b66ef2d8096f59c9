package io.brain.conformance.cluster.kube;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Lists objects in pages again and again. Each page must be of the first one's resource version,
 * and name nothing twice; a list that is interrupted is begun again. Its account is for after its
 * end.
 */
final class KubeLister implements Runnable {

    private static final int PAGE = 500;
    private static final int PAUSE_MILLIS = 500;

    private final KubeClient kube;
    private final String path;
    private volatile boolean stopped;
    private volatile Optional<String> failure = Optional.empty();
    private int lists;
    private int interrupted;

    KubeLister(KubeClient kube, String path) {
        this.kube = kube;
        this.path = path;
    }

    @Override
    public void run() {
        try {
            while (!stopped && failure.isEmpty()) {
                if (list()) {
                    lists++;
                } else {
                    interrupted++;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void stop() {
        stopped = true;
    }

    /** Whole lists. */
    int lists() {
        return lists;
    }

    /** Lists that were refused at some page. */
    int interrupted() {
        return interrupted;
    }

    Optional<String> failure() {
        return failure;
    }

    /** False when a page was refused. */
    private boolean list() throws InterruptedException {
        Set<String> names = new TreeSet<>();
        String next = "";
        long version = 0;
        do {
            KubeClient.Answer answer;
            try {
                answer = kube.get(path + "?limit=" + PAGE + next);
            } catch (IOException e) {
                return false;
            }
            if (!answer.isSuccess()) {
                return false;
            }
            for (JsonObject object : KubeObjects.items(answer.body())) {
                if (!names.add(KubeObjects.name(object))) {
                    failure = Optional.of("listed twice: " + KubeObjects.name(object));
                }
            }
            if (version != 0 && answer.resourceVersion() != version) {
                failure = Optional.of(answer.resourceVersion() + " in a list of " + version);
            }
            version = answer.resourceVersion();
            JsonElement more = KubeObjects.metadata(answer.body()).get("continue");
            next = more == null ? "" : "&continue=" + more.getAsString();
        } while (!next.isEmpty());
        return true;
    }
}
