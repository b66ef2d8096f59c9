package io.brain.storage.tikv;

import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * How to reach the cluster.
 *
 * @param pdEndpoints host and port of each PD, at least one
 * @param addressMap by host and port as PD names it: where that is reached from here; empty if all
 *     are reached by their names
 * @param tls files for TLS; null for none
 */
record Network(List<String> pdEndpoints, Map<String, String> addressMap, TlsFiles tls) {
    /** Where to connect to for an address. */
    URI reached(URI named) {
        String other = addressMap.get(named.getAuthority());
        return other == null ? named : URI.create(named.getScheme() + "://" + other);
    }
}
