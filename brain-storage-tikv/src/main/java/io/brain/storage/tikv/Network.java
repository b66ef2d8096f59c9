package io.brain.storage.tikv;

import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * How to reach the cluster.
 *
 * @param pdEndpoints host:port of each PD; not empty
 * @param addressMap reachable host:port by the host:port that PD returns; empty for no translation
 * @param tls files for TLS; null for none
 */
record Network(List<String> pdEndpoints, Map<String, String> addressMap, TlsFiles tls) {
    /** Translates an address that PD returned. */
    URI reached(URI named) {
        String other = addressMap.get(named.getAuthority());
        return other == null ? named : URI.create(named.getScheme() + "://" + other);
    }
}
