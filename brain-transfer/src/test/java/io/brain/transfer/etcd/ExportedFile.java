package io.brain.transfer.etcd;

import io.brain.bbolt.BboltReader;
import io.brain.bbolt.BucketCursor;
import io.brain.storage.Bytes;
import io.brain.transfer.etcd.RecordedStore.Change;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An exported database, read into memory: bucket, key, value, in the order of the file. */
record ExportedFile(Map<String, Map<Bytes, Bytes>> buckets, Exporter.Exported exported) {
    static ExportedFile of(Exporter exporter, Path directory, ExportScope scope)
            throws IOException {
        return of(exporter, directory, scope, (step, done, total) -> {});
    }

    /** Exports into a new file of the directory, and reads the file. */
    static ExportedFile of(
            Exporter exporter, Path directory, ExportScope scope, StepListener listener)
            throws IOException {
        Path path = directory.resolve("db-" + System.nanoTime());
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            Exporter.Exported exported =
                    exporter.export(file, directory.resolve("sort"), scope, listener);
            return new ExportedFile(read(path), exported);
        }
    }

    /** Checks and reads a database. */
    static Map<String, Map<Bytes, Bytes>> read(Path path) throws IOException {
        Map<String, Map<Bytes, Bytes>> buckets = new LinkedHashMap<>();
        try (BboltReader reader = BboltReader.open(path)) {
            var unused = reader.check();
            BucketCursor names = reader.buckets();
            while (names.next()) {
                Map<Bytes, Bytes> records = new LinkedHashMap<>();
                BucketCursor cursor = reader.bucket(names.key()).orElseThrow();
                while (cursor.next()) {
                    records.put(Bytes.wrap(cursor.key()), Bytes.wrap(cursor.value()));
                }
                buckets.put(new String(names.key(), StandardCharsets.US_ASCII), records);
            }
        }
        return buckets;
    }

    Map<Bytes, Bytes> bucket(byte[] name) {
        return buckets.get(new String(name, StandardCharsets.US_ASCII));
    }

    /** A value as text; null if there is none. */
    String text(byte[] bucket, byte[] key) {
        Bytes value = bucket(bucket).get(Bytes.wrap(key));
        return value == null ? null : new String(value.array(), StandardCharsets.UTF_8);
    }

    /** Changes as their bucket has them. */
    static Map<Bytes, Bytes> records(List<Change> changes) {
        Map<Bytes, Bytes> records = new LinkedHashMap<>();
        for (Change change : changes) {
            byte[] key = EtcdSchema.changeKey(change.revision(), change.sub(), change.tombstone());
            records.put(Bytes.wrap(key), change.kv());
        }
        return records;
    }

    static Map<String, String> hex(Map<Bytes, Bytes> records) {
        Map<String, String> text = new LinkedHashMap<>();
        records.forEach((key, value) -> text.put(hex(key), hex(value)));
        return text;
    }

    static String hex(Bytes bytes) {
        return HexFormat.of().formatHex(bytes.array());
    }
}
