package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.await;
import static io.brain.storage.rocksdb.Stores.bytes;
import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.step;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * Fills a small file system, which is its argument, until nothing fits any more; then makes room,
 * and goes on. Ends with a failed check, or prints "all is well".
 */
final class FullDiskProgram {
    private static final String[] OPTIONS = {
        "ballast-size", "1MiB", "memtable-size", "2MiB", "block-cache-size", "1MiB"
    };

    private final Path disk;
    private final Path data;
    private final Random random = new Random(3);
    private KvStorage store;
    private int landed;

    private FullDiskProgram(Path disk) {
        this.disk = disk;
        this.data = disk.resolve("data");
    }

    public static void main(String[] arguments) throws Exception {
        try {
            new FullDiskProgram(Path.of(arguments[0])).run();
            System.out.println("all is well");
        } catch (AssertionError e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1); // the store's thread would go on
        }
    }

    private void run() throws Exception {
        Path filler = disk.resolve("filler");
        Files.write(filler, new byte[16 << 20]);
        store = Stores.open(data, OPTIONS);
        check(ballast() == 1 << 20, "the ballast is laid in before the first write");
        for (int i = 0; i < 20; i++) {
            check(commit() instanceof CommitResult.Committed, "there is room at first");
        }

        // Opening the engine anew may find room that a cut file had taken; then it fills up again.
        for (int round = 0; ballast() > 0 && round < 50; round++) {
            CommitResult end = commit();
            for (int i = 0; i < 2000 && end instanceof CommitResult.Committed; i++) {
                end = commit();
            }
            check(kind(end) == Kind.NO_SPACE, "the disk is full");
        }
        check(ballast() == 0, "the ballast is given up");
        checkContent();

        commitSmall("alarm");
        System.out.println("an alarm was stored after " + landed + " steps");
        store.close();
        store = Stores.open(data, OPTIONS);
        check("1".equals(get(store, "alarm")), "the alarm is there after a restart");
        checkContent();

        Files.delete(filler);
        for (int i = 0; i < 50; i++) {
            check(commit() instanceof CommitResult.Committed, "there is room again");
        }
        checkContent();
        awaitBallast();
        store.close();
        store = Stores.open(data, OPTIONS);
        checkContent();
        store.close();
    }

    /** Commits the next step, with noise of 20 KB; resolves it until that says how it ended. */
    private CommitResult commit() throws InterruptedException {
        byte[] noise = new byte[20_000];
        random.nextBytes(noise);
        WriteBatch.Builder batch = WriteBatch.builder();
        step(landed + 1).mutations().forEach(batch::add);
        batch.put(bytes("noise" + landed), Bytes.wrap(noise));
        WriteBatch step = batch.build();
        CommitResult end = await(store.commit(step));
        if (end instanceof CommitResult.Uncertain) {
            check("fence 1".equals(get(store, "at1")), "reads go on");
        }
        for (int i = 0; i < 100 && end instanceof CommitResult.Uncertain; i++) {
            Thread.sleep(i == 0 ? 0 : 100);
            end = await(store.resolve(step));
        }
        if (end instanceof CommitResult.Committed) {
            landed++;
        }
        return end;
    }

    private void commitSmall(String key) {
        CommitResult end =
                await(store.commit(WriteBatch.builder().put(bytes(key), bytes("1")).build()));
        check(end instanceof CommitResult.Committed, key + " is stored, not " + end);
    }

    private void checkContent() {
        check(
                ("fence " + landed).equals(get(store, "fence")),
                "the last step that landed is there");
        for (int number = 1; number <= landed; number++) {
            check(("fence " + number).equals(get(store, "at" + number)), "step " + number);
        }
        check(get(store, "at" + (landed + 1)) == null, "the step that did not land is not there");
    }

    /** Once it was given up, the ballast is laid in by commits. */
    private void awaitBallast() throws InterruptedException {
        for (int i = 0; ballast() == 0 && i < 600; i++) {
            Thread.sleep(100);
            commitSmall("tick " + i);
        }
        check(ballast() == 1 << 20, "the ballast is laid in");
    }

    private long ballast() {
        return data.resolve("BALLAST").toFile().length();
    }

    private static Kind kind(CommitResult end) {
        check(end instanceof CommitResult.Unavailable, "it is told that nothing landed: " + end);
        return ((CommitResult.Unavailable) end).cause().kind();
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError("not so: " + what);
        }
    }
}
