package io.brain.conformance.compare;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Names for the ids that a server chose, so that requests and answers can be compared: the n-th
 * lease id it chose is called the same on every server, and its own member id is called {@value
 * #MEMBER}. Thread-safe.
 */
public final class Names {

    /** What every member id in an answer is called, and this server's in a request. */
    public static final long MEMBER = 1;

    /** Far from what a script or a generator picks, and from what etcd chooses. */
    private static final long FIRST_LEASE = 7_700_000_000_000_001L;

    private final Map<Long, Long> nameOfLease = new HashMap<>();
    private final Map<Long, Long> leaseOfName = new HashMap<>();
    private long member = MEMBER;

    /** Names a lease id that the server chose. */
    public synchronized void learnLease(long id) {
        long name = FIRST_LEASE + nameOfLease.size();
        if (nameOfLease.putIfAbsent(id, name) == null) {
            leaseOfName.put(name, id);
        }
    }

    /** A key with the name of the lease in its last part; others are their own names. */
    synchronized ByteString keyName(ByteString key) {
        return withLease(key, nameOfLease);
    }

    /** The key behind a name, for requests. */
    synchronized ByteString key(ByteString name) {
        return withLease(name, leaseOfName);
    }

    private static ByteString withLease(ByteString key, Map<Long, Long> others) {
        String text = key.toString(StandardCharsets.ISO_8859_1);
        int last = text.lastIndexOf('/') + 1;
        for (Map.Entry<Long, Long> lease : others.entrySet()) {
            if (last > 0 && text.substring(last).equals(Long.toHexString(lease.getKey()))) {
                String other = text.substring(0, last) + Long.toHexString(lease.getValue());
                return ByteString.copyFrom(other, StandardCharsets.ISO_8859_1);
            }
        }
        return key;
    }

    /** The name of a lease id; one that no server chose is its own name. */
    synchronized long leaseName(long id) {
        return nameOfLease.getOrDefault(id, id);
    }

    /** The lease id behind a name, for requests. */
    synchronized long leaseId(long name) {
        return leaseOfName.getOrDefault(name, name);
    }

    /** Remembers the id in a header. */
    synchronized void learnMember(long id) {
        member = id;
    }

    /** The member id behind a name, for requests. */
    synchronized long memberId(long name) {
        return name == MEMBER ? member : name;
    }
}
