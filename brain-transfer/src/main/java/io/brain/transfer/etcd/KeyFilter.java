package io.brain.transfer.etcd;

import io.brain.storage.Bytes;
import java.util.List;

/**
 * Which keys to move.
 *
 * @param prefixes a key must begin with one of them, unless there are none; sorted
 * @param excluded a key must begin with none of them; sorted
 */
public record KeyFilter(List<Bytes> prefixes, List<Bytes> excluded) {
    /** All keys. */
    public static final KeyFilter ALL = new KeyFilter(List.of(), List.of());

    /** Sorts the lists. */
    public KeyFilter {
        prefixes = prefixes.stream().sorted().distinct().toList();
        excluded = excluded.stream().sorted().distinct().toList();
    }

    /** True if a key is moved. */
    public boolean includes(Bytes key) {
        return (prefixes.isEmpty() || prefixes.stream().anyMatch(key::startsWith))
                && excluded.stream().noneMatch(key::startsWith);
    }
}
