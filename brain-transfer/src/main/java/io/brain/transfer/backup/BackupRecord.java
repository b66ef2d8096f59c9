package io.brain.transfer.backup;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

/**
 * Describes a backup. Stored as JSON, when the data are complete.
 *
 * @param clusterId in hexadecimal, as etcdctl prints it
 * @param base name of the backup that an increment continues; empty: a full backup
 * @param after the last revision of the base; 0 in a full backup
 * @param compacted the oldest revision that can be restored from a full backup; -1: the first one
 * @param revision the last revision
 * @param committed when the last revision was committed, in seconds since 1970 by the leader's
 *     clock; 0: unknown
 * @param time of the request, in milliseconds: the backup has all changes that were committed
 *     before
 * @param bytes of the database
 * @param storedBytes of the object, which is compressed
 * @param sha256 of the database, in hexadecimal
 */
public record BackupRecord(
        String clusterId,
        String base,
        long after,
        long compacted,
        long revision,
        long committed,
        Instant time,
        long bytes,
        long storedBytes,
        String sha256,
        boolean encrypted) {
    static final String SUFFIX = ".json";
    private static final int FORMAT = 1;
    private static final Pattern DATA =
            Pattern.compile("[0-9]{8}T[0-9]{6}\\.[0-9]{3}Z-(full|increment)\\.db\\.zst(\\.aes)?");
    private static final DateTimeFormatter NAME_TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** Rounds the time. */
    public BackupRecord {
        time = time.truncatedTo(ChronoUnit.MILLIS);
    }

    /** The name of a backup, which sorts by time. */
    static String nameAt(Instant time) {
        return NAME_TIME.format(time);
    }

    /** The name, which sorts by time. */
    public String name() {
        return nameAt(time);
    }

    public boolean isFull() {
        return base.isEmpty();
    }

    /** The object with the data. */
    String dataName() {
        return dataName(name(), isFull(), encrypted);
    }

    static String dataName(String name, boolean full, boolean encrypted) {
        return name + (full ? "-full.db.zst" : "-increment.db.zst") + (encrypted ? ".aes" : "");
    }

    /** True if an object is the data of a backup. */
    static boolean isDataName(String name) {
        return DATA.matcher(name).matches();
    }

    /** As metrics of the last successful backup, in Prometheus's text format. */
    public String metrics() {
        return """
        # HELP brain_backup_last_success_timestamp_seconds Time of the last backup.
        # TYPE brain_backup_last_success_timestamp_seconds gauge
        brain_backup_last_success_timestamp_seconds %d
        # HELP brain_backup_last_success_revision Last revision of the last backup.
        # TYPE brain_backup_last_success_revision gauge
        brain_backup_last_success_revision %d
        # HELP brain_backup_last_success_bytes Stored bytes of the last backup.
        # TYPE brain_backup_last_success_bytes gauge
        brain_backup_last_success_bytes %d
        """
                .formatted(time.getEpochSecond(), revision, storedBytes);
    }

    String encode() {
        JsonObject json = new JsonObject();
        json.addProperty("format", FORMAT);
        json.addProperty("time", time.toString());
        json.addProperty("clusterId", clusterId);
        json.addProperty("base", base);
        json.addProperty("after", after);
        json.addProperty("compacted", compacted);
        json.addProperty("revision", revision);
        json.addProperty("committed", committed);
        json.addProperty("bytes", bytes);
        json.addProperty("storedBytes", storedBytes);
        json.addProperty("sha256", sha256);
        json.addProperty("encrypted", encrypted);
        return json + "\n";
    }

    /**
     * Reads the stored form.
     *
     * @throws BackupException if it is not one of this version
     */
    static BackupRecord decode(String name, String stored) throws BackupException {
        try {
            JsonObject json = JsonParser.parseString(stored).getAsJsonObject();
            int format = json.get("format").getAsInt();
            if (format != FORMAT) {
                throw new BackupException(
                        "%s: written by another version of Brain (format %d)"
                                .formatted(name, format));
            }
            return new BackupRecord(
                    json.get("clusterId").getAsString(),
                    json.get("base").getAsString(),
                    json.get("after").getAsLong(),
                    json.get("compacted").getAsLong(),
                    json.get("revision").getAsLong(),
                    json.has("committed") ? json.get("committed").getAsLong() : 0,
                    Instant.parse(json.get("time").getAsString()),
                    json.get("bytes").getAsLong(),
                    json.get("storedBytes").getAsLong(),
                    json.get("sha256").getAsString(),
                    json.get("encrypted").getAsBoolean());
        } catch (JsonParseException
                | IllegalStateException
                | UnsupportedOperationException
                | NullPointerException
                | NumberFormatException
                | DateTimeException malformed) {
            throw new BackupException(name + ": not a record of a backup");
        }
    }
}
