package io.brain.conformance.cluster.kube;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One client that creates, replaces and deletes config maps of its own until it is told to stop.
 * When an answer is no success it does what a real client does: it reads the object to see whether
 * the write has happened. Its account is read after its thread has ended, its counts at any time.
 */
final class KubeWriter implements Runnable {

    private static final int PAUSE_MILLIS = 100;

    private final KubeClient kube;
    private final String path;
    private final String prefix;
    private final int objectsMax;
    private final Random random;
    private final Map<String, State> objects = new TreeMap<>();
    private final List<Acknowledged> acknowledged = new ArrayList<>();
    private final AtomicInteger successes = new AtomicInteger();
    private volatile Optional<Throwable> failure = Optional.empty();
    private volatile boolean stopped;
    private int unanswered;
    private int landed;
    private int numbers;

    /**
     * @param path of the config maps of a namespace
     * @param prefix of this writer's names
     * @param objectsMax how many objects of its own it keeps, or a tenth less
     */
    KubeWriter(KubeClient kube, String path, String prefix, int objectsMax, Random random) {
        this.kube = kube;
        this.path = path;
        this.prefix = prefix;
        this.objectsMax = objectsMax;
        this.random = random;
    }

    /** What is known of an object: what it holds and at which resource version. */
    record State(String seq, long resourceVersion) {}

    /** A create or replace that was answered with success. */
    record Acknowledged(String name, long resourceVersion) {}

    @Override
    public void run() {
        try {
            while (!stopped) {
                writeOnce();
            }
        } catch (IOException | RuntimeException | AssertionError e) {
            failure = Optional.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void stop() {
        stopped = true;
    }

    /** Writes answered with success so far. */
    int successes() {
        return successes.get();
    }

    /** What ended this writer before it was told to stop. */
    Optional<Throwable> failure() {
        return failure;
    }

    /** What must be there now. */
    Map<String, State> objects() {
        return objects;
    }

    List<Acknowledged> acknowledged() {
        return acknowledged;
    }

    /** Writes without a success, and how many of them had happened nevertheless. */
    int unanswered() {
        return unanswered;
    }

    int landed() {
        return landed;
    }

    private void writeOnce() throws IOException, InterruptedException {
        List<String> names = List.copyOf(objects.keySet());
        int dice = random.nextInt(10);
        boolean fills = names.size() < objectsMax - objectsMax / 10;
        if (fills || (dice < 3 && names.size() < objectsMax)) {
            String name = prefix + "-" + numbers++;
            JsonObject object = KubeObjects.configMap(name, seq());
            write(name, object, kube.create(path, object));
            return;
        }
        String name = names.get(random.nextInt(names.size()));
        if (dice < 8) {
            JsonObject object = KubeObjects.configMap(name, seq());
            KubeObjects.metadata(object)
                    .addProperty(
                            "resourceVersion", Long.toString(objects.get(name).resourceVersion()));
            write(name, object, kube.replace(path + "/" + name, object));
        } else {
            delete(name);
        }
    }

    /** A create or a replace. */
    private void write(String name, JsonObject object, KubeClient.Answer answer)
            throws IOException, InterruptedException {
        String seq = KubeObjects.seq(object);
        if (answer.isSuccess()) {
            acknowledge(name, new State(seq, answer.resourceVersion()));
            return;
        }
        refuseConflict(name, answer);
        Optional<State> now = readUntilAnswered(name);
        Optional<State> before = Optional.ofNullable(objects.get(name));
        if (now.isPresent() && now.get().seq().equals(seq)) {
            landed++;
            objects.put(name, now.get());
        } else if (!now.equals(before)) {
            throw new AssertionError(name + " was " + before + " and is " + now);
        }
    }

    private void delete(String name) throws IOException, InterruptedException {
        State before = objects.get(name);
        KubeClient.Answer answer = kube.delete(path + "/" + name, before.resourceVersion());
        if (answer.isSuccess()) {
            objects.remove(name);
            successes.incrementAndGet();
            return;
        }
        refuseConflict(name, answer);
        Optional<State> now = readUntilAnswered(name);
        if (now.isEmpty()) {
            landed++;
            objects.remove(name);
        } else if (!now.get().equals(before)) {
            throw new AssertionError(name + " was " + before + " and is " + now);
        }
    }

    /** Nobody else writes these objects: a conflict means that the store has changed them. */
    private void refuseConflict(String name, KubeClient.Answer answer) {
        if (answer.status() == 409 || answer.status() == 404 || answer.status() == 400) {
            throw new AssertionError(name + " was " + objects.get(name) + ", then " + answer);
        }
        unanswered++;
    }

    private void acknowledge(String name, State state) {
        objects.put(name, state);
        acknowledged.add(new Acknowledged(name, state.resourceVersion()));
        successes.incrementAndGet();
    }

    private Optional<State> readUntilAnswered(String name)
            throws IOException, InterruptedException {
        while (true) {
            KubeClient.Answer answer = kube.get(path + "/" + name);
            if (answer.isSuccess()) {
                return Optional.of(
                        new State(KubeObjects.seq(answer.body()), answer.resourceVersion()));
            }
            if (answer.status() == 404) {
                return Optional.empty();
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private String seq() {
        return prefix + "/" + acknowledged.size() + "/" + random.nextInt(Integer.MAX_VALUE);
    }
}
