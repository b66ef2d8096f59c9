package io.brain.transfer.load;

import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.KeyFilter;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * What to import.
 *
 * @param clusterId id of the cluster, which clients see; 0: a random one
 * @param standbyOf id of the running cluster that the store is to follow; 0: none
 */
public record ImportOptions(KeyFilter keys, long clusterId, long standbyOf) {
    /** All keys. */
    public static final ImportOptions ALL = new ImportOptions(KeyFilter.ALL, 0, 0);

    /** Identifies an import of a source with these options: two that differ store other data. */
    Bytes identify(ChangeSource source) {
        ByteWriter out = new ByteWriter(256);
        out.putLong(source.length()).putSized(source.sha256()).putLong(clusterId);
        if (standbyOf != 0) {
            out.putLong(standbyOf);
        }
        for (List<Bytes> list : List.of(keys.prefixes(), keys.excluded())) {
            out.putVarint(list.size());
            list.forEach(out::putSized);
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(out.finish().array());
            return Bytes.wrap(digest);
        } catch (NoSuchAlgorithmException impossible) { // every Java has it
            throw new IllegalStateException(impossible);
        }
    }
}
