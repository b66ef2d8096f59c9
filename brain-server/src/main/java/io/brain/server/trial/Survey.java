package io.brain.server.trial;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import io.brain.transfer.verify.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What keys there are at a revision.
 *
 * @param keyBytesMax length of the longest key
 * @param pairBytesMax size of the largest key with its value and numbers
 * @param sample some of the keys, each as likely as any other
 */
record Survey(long revision, long keys, int keyBytesMax, int pairBytesMax, List<Bytes> sample) {
    private static final int SAMPLE_MAX = 2000;
    private static final KeySpan ALL = KeySpan.of(Bytes.wrap(new byte[1]), Bytes.wrap(new byte[1]));

    /** Reads all keys of a cluster. */
    static Survey of(Side cluster, Random random) throws IOException {
        long revision = cluster.newestRevision();
        List<Bytes> sample = new ArrayList<>();
        long keys = 0;
        int keyBytes = 0;
        int pairBytes = 0;
        try (Side.Entries entries = cluster.entries(ALL, revision)) {
            for (Side.Entry each = entries.next(); each != null; each = entries.next()) {
                keys++;
                keyBytes = Math.max(keyBytes, each.key().length());
                pairBytes = Math.max(pairBytes, each.kv().length());
                long place = sample.size() < SAMPLE_MAX ? sample.size() : random.nextLong(keys);
                if (place == sample.size()) {
                    sample.add(each.key());
                } else if (place < SAMPLE_MAX) {
                    sample.set((int) place, each.key());
                }
            }
        }
        return new Survey(revision, keys, keyBytes, pairBytes, List.copyOf(sample));
    }
}
