package io.brain.backend.model;

import java.util.List;

/**
 * A server of the cluster.
 *
 * @param id never 0
 * @param name empty if it was announced and has not started yet
 * @param peerUrls where it serves the other members
 * @param clientUrls where it serves clients
 */
public record Member(long id, String name, List<String> peerUrls, List<String> clientUrls) {
    /** Copies the lists. */
    public Member {
        peerUrls = List.copyOf(peerUrls);
        clientUrls = List.copyOf(clientUrls);
    }

    /** False if it was announced and has not started yet. */
    public boolean isStarted() {
        return !name.isEmpty();
    }
}
