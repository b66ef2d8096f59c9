package io.brain.bbolt;

import static io.brain.bbolt.Databases.utf8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Measures writing, reading and checking: {@code Throughput DIRECTORY MEGABYTES VALUE_BYTES}. */
final class Throughput {
    private Throughput() {}

    private interface Task {
        void run() throws IOException;
    }

    public static void main(String[] args) throws IOException {
        Path file = Path.of(args[0], "throughput.db");
        int valueBytes = Integer.parseInt(args[2]);
        long count = Long.parseLong(args[1]) * 1_000_000 / (valueBytes + 17);
        for (int round = 0; round < 3; round++) {
            Files.deleteIfExists(file);
            measure("write", file, () -> write(file, count, valueBytes));
            measure("read", file, () -> read(file));
            measure("check", file, () -> check(file));
        }
        Files.delete(file);
    }

    private static void measure(String name, Path file, Task task) throws IOException {
        long start = System.nanoTime();
        task.run();
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf("%s %.0f MB/s%n", name, Files.size(file) / 1e6 / seconds);
    }

    private static void write(Path file, long count, int valueBytes) throws IOException {
        byte[] value = new byte[valueBytes];
        new Random(1).nextBytes(value);
        try (BboltWriter writer = BboltWriter.create(file)) {
            writer.bucket(utf8("key"));
            for (long revision = 1; revision <= count; revision++) {
                byte[] key = ByteBuffer.allocate(17).putLong(revision).put((byte) '_').array();
                writer.put(key, value);
            }
            writer.finish();
        }
    }

    private static void read(Path file) throws IOException {
        try (BboltReader reader = BboltReader.open(file)) {
            BucketCursor cursor = reader.bucket(utf8("key")).orElseThrow();
            while (cursor.next()) {
                cursor.value();
            }
        }
    }

    private static void check(Path file) throws IOException {
        try (BboltReader reader = BboltReader.open(file)) {
            reader.check();
        }
    }
}
