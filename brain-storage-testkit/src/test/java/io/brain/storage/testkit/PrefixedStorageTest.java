package io.brain.storage.testkit;

import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.PrefixedStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import java.util.Set;

/** The contract of every storage, among keys of others. */
final class PrefixedStorageTest extends KvStorageContract implements SnapshotAtTimestampContract {
    @Override
    protected KvStorage open() {
        MemoryStorage shared = new MemoryStorage();
        WriteBatch.Builder others = WriteBatch.builder();
        for (String key : new String[] {"a", "k", "name", "name.", "name0", "x"}) {
            others.put(Bytes.utf8(key), Bytes.utf8("another's"));
        }
        var unused = shared.commit(others.build());
        return new PrefixedStorage(shared, Bytes.utf8("name/"));
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP);
    }
}
