package io.brain.storage.tikv;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** One process's links to PD and to each store of a test bed, which can be cut. */
final class Links implements AutoCloseable {
    private final TestBed bed;
    private final Relay toPd;
    private final List<Relay> toStores = new ArrayList<>();

    Links(TestBed bed) throws IOException {
        this.bed = bed;
        this.toPd = new Relay(bed.pdPort());
        for (int port : bed.storePorts()) {
            toStores.add(new Relay(port));
        }
    }

    /** The options for a storage behind these links. */
    String[] options(String... more) {
        StringBuilder map = new StringBuilder("127.0.0.1:" + bed.pdPort() + "=" + toPd.address());
        for (int i = 0; i < toStores.size(); i++) {
            map.append(",127.0.0.1:").append(bed.storePorts().get(i));
            map.append('=').append(toStores.get(i).address());
        }
        List<String> options = new ArrayList<>();
        options.addAll(List.of("pd-endpoints", toPd.address(), "address-map", map.toString()));
        options.addAll(List.of("rpc-timeout-ms", "500"));
        options.addAll(List.of("read-timeout-ms", "1500", "commit-timeout-ms", "1500"));
        options.addAll(List.of(more));
        return options.toArray(String[]::new);
    }

    Relay toPd() {
        return toPd;
    }

    void cutStores() {
        toStores.forEach(Relay::cut);
    }

    void healStores() {
        toStores.forEach(Relay::heal);
    }

    @Override
    public void close() throws IOException {
        toPd.close();
        for (Relay toStore : toStores) {
            toStore.close();
        }
    }
}
