package io.brain.backend.model;

import java.util.List;

/**
 * A member of the cluster.
 *
 * @param id never 0
 * @param name empty if the member was added and has not started yet
 */
public record Member(long id, String name, List<String> peerUrls, List<String> clientUrls) {
    /** Copies the lists. */
    public Member {
        peerUrls = List.copyOf(peerUrls);
        clientUrls = List.copyOf(clientUrls);
    }

    /** A copy with other peer URLs. */
    public Member withPeerUrls(List<String> urls) {
        return new Member(id, name, urls, clientUrls);
    }

    public boolean isStarted() {
        return !name.isEmpty();
    }
}
