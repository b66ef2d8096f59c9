package io.brain.conformance.cluster.transfer;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** What a server must have at each revision, from the requests that were sent to it. */
final class HistoryModel {
    private static final Comparator<ByteString> ORDER =
            ByteString.unsignedLexicographicalComparator();

    /** Versions of each key by revision; empty: deleted. */
    private final NavigableMap<ByteString, NavigableMap<Long, Optional<KeyValue>>> keys =
            new TreeMap<>(ORDER);

    private final List<Commit> commits = new ArrayList<>();

    /** Between two times, in milliseconds since 1970, a revision was committed. */
    record Commit(long revision, long sentMillis, long answeredMillis) {}

    void put(long revision, ByteString key, ByteString value, long lease) {
        NavigableMap<Long, Optional<KeyValue>> versions = versions(key);
        Optional<KeyValue> before =
                versions.isEmpty() ? Optional.empty() : versions.lastEntry().getValue();
        KeyValue now =
                KeyValue.newBuilder()
                        .setKey(key)
                        .setValue(value)
                        .setLease(lease)
                        .setModRevision(revision)
                        .setCreateRevision(before.map(KeyValue::getCreateRevision).orElse(revision))
                        .setVersion(before.map(KeyValue::getVersion).orElse(0L) + 1)
                        .build();
        versions.put(revision, Optional.of(now));
    }

    void delete(long revision, ByteString key) {
        versions(key).put(revision, Optional.empty());
    }

    void committed(long revision, long sentMillis, long answeredMillis) {
        commits.add(new Commit(revision, sentMillis, answeredMillis));
    }

    private NavigableMap<Long, Optional<KeyValue>> versions(ByteString key) {
        return keys.computeIfAbsent(key, k -> new TreeMap<>());
    }

    boolean exists(ByteString key) {
        NavigableMap<Long, Optional<KeyValue>> versions = keys.get(key);
        return versions != null && versions.lastEntry().getValue().isPresent();
    }

    /** The keys that existed at a revision, in order. */
    List<KeyValue> at(long revision) {
        List<KeyValue> found = new ArrayList<>();
        for (Map.Entry<ByteString, NavigableMap<Long, Optional<KeyValue>>> key : keys.entrySet()) {
            Map.Entry<Long, Optional<KeyValue>> version = key.getValue().floorEntry(revision);
            if (version != null) {
                version.getValue().ifPresent(found::add);
            }
        }
        return found;
    }

    long newest() {
        return commits.get(commits.size() - 1).revision();
    }

    /** The last revision that was surely committed before a time. */
    long surelyBefore(long millis) {
        return commits.stream()
                .filter(commit -> commit.answeredMillis() < millis)
                .mapToLong(Commit::revision)
                .max()
                .orElse(1);
    }

    /** The last revision that may have been committed before a time. */
    long maybeBefore(long millis) {
        return commits.stream()
                .filter(commit -> commit.sentMillis() < millis)
                .mapToLong(Commit::revision)
                .max()
                .orElse(1);
    }
}
