package io.brain.conformance.cluster.kube;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** One server for most objects, and one more for each kind that a kube-apiserver keeps apart. */
final class SplitStore implements KubeStore {

    private final SingleStore rest;
    private final Map<String, SingleStore> apart = new LinkedHashMap<>();

    /**
     * @param kinds as the kube-apiserver writes them: GROUP/RESOURCE, nothing for the core's group
     */
    SplitStore(Path directory, String... kinds) throws Exception {
        rest = new SingleStore(directory.resolve("rest"));
        for (String kind : kinds) {
            apart.put(kind, new SingleStore(directory.resolve("of-" + kind.replace('/', '-'))));
        }
    }

    /** The kube-apiserver's flag that tells it so. */
    String overrides() {
        StringBuilder flag = new StringBuilder("--etcd-servers-overrides=");
        apart.forEach(
                (kind, store) -> flag.append(kind).append('#').append(store.urls()).append(','));
        return flag.substring(0, flag.length() - 1);
    }

    /** The server of a kind. */
    KubeStore of(String kind) {
        return apart.get(kind);
    }

    @Override
    public String urls() {
        return rest.urls();
    }

    @Override
    public String target() {
        return rest.target();
    }

    @Override
    public void kill() {
        rest.kill();
    }

    @Override
    public void start() throws Exception {
        rest.start();
    }

    @Override
    public void close() {
        apart.values().forEach(SingleStore::close);
        rest.close();
    }
}
