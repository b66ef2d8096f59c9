package io.brain.backend.store;

import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.util.zip.CRC32C;

/**
 * The record that every batch compares and sets: epoch, last batch and totals. Only the leader of
 * the epoch can replace it, so a deposed leader cannot commit.
 *
 * @param epoch number of the leadership, from 1; clients see it as raft_term
 * @param batch number of the batch, from 0, +1 each: makes each fence unique
 * @param revision the last assigned revision; 1 in a new store
 * @param bytes encoded bytes of all versions and their keys (heads and history)
 * @param keys number of keys that exist at {@code revision}
 * @param token random number chosen by the promotion that began the epoch: two candidates never
 *     write the same fence
 */
public record Fence(long epoch, long batch, long revision, long bytes, long keys, long token) {
    private static final int VERSION = 5;
    private static final int LENGTH = 1 + 6 * Long.BYTES + Integer.BYTES;

    /** A fence without keys and token. */
    public Fence(long epoch, long batch, long revision, long bytes) {
        this(epoch, batch, revision, bytes, 0, 0);
    }

    /** The fence of a later batch of this epoch, which adds bytes and keys. */
    public Fence next(long number, long newest, long moreBytes, long moreKeys) {
        return new Fence(epoch, number, newest, bytes + moreBytes, keys + moreKeys, token);
    }

    /** The first fence of the next epoch. */
    public Fence promoted(long newToken) {
        return new Fence(epoch + 1, batch + 1, revision, bytes, keys, newToken);
    }

    /**
     * Fails if the stored fence is older than one that was published: the store has lost what may
     * have been acknowledged and shown.
     *
     * @param known of this store; epoch 0: none
     * @throws StorageException of kind REFUSED
     */
    public void requireNotBefore(Fence known) {
        boolean older = epoch < known.epoch || (epoch == known.epoch && batch < known.batch);
        if (known.epoch > 0 && (older || revision < known.revision)) {
            throw new StorageException(
                    StorageException.Kind.REFUSED,
                    "the store has lost commits: its revision is %d (epoch %d, batch %d), was %d"
                                    .formatted(revision, epoch, batch, known.revision)
                            + " (epoch %d, batch %d); restart all servers to accept the loss"
                                    .formatted(known.epoch, known.batch));
        }
    }

    /** The stored form: a format byte, six numbers, and the CRC-32C of all that. */
    public Bytes encode() {
        byte[] payload =
                new ByteWriter(LENGTH - Integer.BYTES)
                        .putByte(VERSION)
                        .putLong(epoch)
                        .putLong(batch)
                        .putLong(revision)
                        .putLong(bytes)
                        .putLong(keys)
                        .putLong(token)
                        .finish()
                        .array();
        return new ByteWriter(LENGTH).putRaw(payload).putInt(checksum(payload)).finish();
    }

    /**
     * Reads the stored form.
     *
     * @throws StorageException kind CORRUPT if the checksum does not match, REFUSED for another
     *     format
     */
    public static Fence decode(Bytes stored) {
        ByteReader in = new ByteReader(stored, 0);
        int version = in.getByte();
        if (version != VERSION) {
            throw new StorageException(
                    StorageException.Kind.REFUSED,
                    "the store was written by another version of Brain (fence format "
                            + (stored.at(0) & 0xff)
                            + "; this one reads and writes format "
                            + VERSION
                            + ")");
        }
        Fence fence =
                new Fence(
                        in.getLong(),
                        in.getLong(),
                        in.getLong(),
                        in.getLong(),
                        in.getLong(),
                        in.getLong());
        byte[] payload = Bytes.copyOf(stored.array(), 0, in.position()).array();
        if (in.getInt() != checksum(payload)) {
            throw new StorageException(StorageException.Kind.CORRUPT, "the fence is damaged");
        }
        return fence;
    }

    private static int checksum(byte[] payload) {
        CRC32C crc = new CRC32C();
        crc.update(payload, 0, payload.length);
        return (int) crc.getValue();
    }
}
