package io.brain.transfer.backup;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Backups in a bucket of S3 or of a compatible service. Credentials come from where the AWS tools
 * find them: environment, profile, or the role of the machine.
 */
final class S3Store implements BackupStore {
    private static final String LOCK = "LOCK";
    private static final Duration LOCK_TIME = Duration.ofMinutes(10);
    private static final Duration RENEW_AFTER = Duration.ofMinutes(1);
    private static final int PRECONDITION_FAILED = 412;
    private static final int CONFLICT = 409;

    /** The client limits the waits for bytes by itself, but not those to send some. */
    static final Duration CALL_MAX = Duration.ofMinutes(10);

    /** 10 000 parts, the most that S3 takes, hold 156 GiB. */
    private static final int PART_BYTES = 16 << 20;

    private final URI location;
    private final S3Client client;
    private final String bucket;
    private final String prefix;

    /**
     * @param location s3://bucket or s3://bucket/prefix
     * @param endpoint of a compatible service; null: AWS
     * @param region null: as the AWS tools find it
     * @param callMax limit of each attempt of a call
     */
    S3Store(URI location, URI endpoint, String region, Duration callMax) throws IOException {
        this.location = location;
        bucket = location.getHost();
        String path = location.getPath().replaceAll("^/+|/+$", "");
        prefix = path.isEmpty() ? "" : path + "/";
        S3ClientBuilder builder =
                S3Client.builder()
                        .httpClientBuilder(UrlConnectionHttpClient.builder())
                        .overrideConfiguration(calls -> calls.apiCallAttemptTimeout(callMax));
        if (endpoint != null) {
            builder.endpointOverride(endpoint).forcePathStyle(true).region(Region.US_EAST_1);
        }
        if (region != null) {
            builder.region(Region.of(region));
        }
        client = call(builder::build);
    }

    @Override
    public Lock lock() throws IOException {
        String holder = UUID.randomUUID().toString();
        StoredLock stored = putLock(holder, null);
        if (!stored.holder.equals(holder) && Instant.now().isAfter(stored.until)) {
            stored = putLock(holder, stored.tag);
        }
        if (!stored.holder.equals(holder)) {
            throw new IOException(
                    "another backup to %s is running, or was interrupted; it holds the lock until %s"
                            .formatted(location, stored.until));
        }
        return new S3Lock(stored);
    }

    /**
     * The content of the lock's object.
     *
     * @param tag changes with the content
     */
    private record StoredLock(String holder, Instant until, String tag) {}

    private final class S3Lock implements Lock {
        private StoredLock mine;
        private Instant renewed = Instant.now();

        S3Lock(StoredLock mine) {
            this.mine = mine;
        }

        @Override
        public void renew() throws IOException {
            if (Instant.now().isAfter(renewed.plus(RENEW_AFTER))) {
                StoredLock stored = putLock(mine.holder, mine.tag);
                if (!stored.holder.equals(mine.holder)) {
                    throw new IOException("another backup to " + location + " took the lock");
                }
                mine = stored;
                renewed = Instant.now();
            }
        }

        @Override
        public void close() throws IOException {
            if (readLock().holder.equals(mine.holder)) {
                delete(LOCK);
            }
        }
    }

    private StoredLock readLock() throws IOException {
        return call(
                () -> {
                    ResponseBytes<GetObjectResponse> stored =
                            client.getObjectAsBytes(
                                    request -> request.bucket(bucket).key(prefix + LOCK));
                    return storedLock(stored.asUtf8String(), stored.response().eTag());
                });
    }

    /** A malformed lock is nobody's. */
    private static StoredLock storedLock(String text, String tag) {
        String[] words = text.split(" ", -1);
        try {
            if (words.length == 2) {
                return new StoredLock(words[0], Instant.parse(words[1]), tag);
            }
        } catch (DateTimeParseException malformed) {
            // Nobody's as well.
        }
        return new StoredLock("", Instant.MIN, tag);
    }

    /**
     * Stores a lock, if it is new or nobody changed it.
     *
     * @param tag of the one to replace; null: there must be none
     * @return what is stored then, which can be another holder's
     */
    private StoredLock putLock(String holder, String tag) throws IOException {
        Instant until = Instant.now().plus(LOCK_TIME);
        try {
            PutObjectResponse put =
                    client.putObject(
                            request ->
                                    request.bucket(bucket)
                                            .key(prefix + LOCK)
                                            .ifNoneMatch(tag == null ? "*" : null)
                                            .ifMatch(tag),
                            RequestBody.fromString(holder + " " + until));
            return new StoredLock(holder, until, put.eTag());
        } catch (S3Exception refused) {
            if (refused.statusCode() == PRECONDITION_FAILED || refused.statusCode() == CONFLICT) {
                return readLock(); // also if an answer was lost, and the call repeated
            }
            throw failure(refused);
        } catch (SdkException failure) {
            throw failure(failure);
        }
    }

    @Override
    public void put(String name, Content content) throws IOException {
        try (Upload upload = new Upload(prefix + name)) {
            content.writeTo(upload);
            upload.complete();
        }
    }

    @Override
    public InputStream open(String name) throws IOException {
        return new Download(
                call(() -> client.getObject(request -> request.bucket(bucket).key(prefix + name))));
    }

    /** An object that is read; the client checks its checksum at the end. */
    private final class Download extends FilterInputStream {
        Download(InputStream object) {
            super(object);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int count) throws IOException {
            try {
                return in.read(bytes, offset, count);
            } catch (SdkException failure) {
                throw failure(failure);
            }
        }
    }

    @Override
    public List<String> names() throws IOException {
        return call(
                () ->
                        client
                                .listObjectsV2Paginator(
                                        request -> request.bucket(bucket).prefix(prefix))
                                .contents()
                                .stream()
                                .map(object -> object.key().substring(prefix.length()))
                                .filter(name -> !name.equals(LOCK) && !name.contains("/"))
                                .sorted()
                                .toList());
    }

    @Override
    public void delete(String name) throws IOException {
        call(() -> client.deleteObject(request -> request.bucket(bucket).key(prefix + name)));
    }

    @Override
    public void close() {
        client.close();
    }

    @Override
    public String toString() {
        return location.toString();
    }

    private interface Call<T> {
        T run();
    }

    private <T> T call(Call<T> call) throws IOException {
        try {
            return call.run();
        } catch (SdkException failure) {
            throw failure(failure);
        }
    }

    private IOException failure(SdkException cause) {
        return new IOException(
                location + ": " + cause.getMessage().lines().findFirst().orElse(""), cause);
    }

    /** Uploads an object in parts; a small one at once. */
    private final class Upload extends OutputStream {
        private final String key;
        private final byte[] part = new byte[PART_BYTES];
        private final List<CompletedPart> parts = new ArrayList<>();
        private int length;
        private String id;
        private boolean complete;

        Upload(String key) {
            this.key = key;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            int written = 0;
            while (written < count) {
                if (length == PART_BYTES) {
                    uploadPart();
                }
                int some = Math.min(PART_BYTES - length, count - written);
                System.arraycopy(bytes, offset + written, part, length, some);
                length += some;
                written += some;
            }
        }

        private RequestBody body() {
            return RequestBody.fromByteBuffer(ByteBuffer.wrap(part, 0, length));
        }

        private void uploadPart() throws IOException {
            if (id == null) {
                id =
                        call(() -> client.createMultipartUpload(to -> to.bucket(bucket).key(key)))
                                .uploadId();
            }
            int number = parts.size() + 1;
            String tag =
                    call(() ->
                                    client.uploadPart(
                                            to ->
                                                    to.bucket(bucket)
                                                            .key(key)
                                                            .uploadId(id)
                                                            .partNumber(number),
                                            body()))
                            .eTag();
            parts.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
            length = 0;
        }

        void complete() throws IOException {
            if (id == null) {
                PutObjectRequest to = PutObjectRequest.builder().bucket(bucket).key(key).build();
                call(() -> client.putObject(to, body()));
            } else {
                uploadPart();
                call(
                        () ->
                                client.completeMultipartUpload(
                                        to ->
                                                to.bucket(bucket)
                                                        .key(key)
                                                        .uploadId(id)
                                                        .multipartUpload(all -> all.parts(parts))));
            }
            complete = true;
        }

        @Override
        public void close() throws IOException {
            if (id != null && !complete) {
                call(
                        () ->
                                client.abortMultipartUpload(
                                        to -> to.bucket(bucket).key(key).uploadId(id)));
            }
        }
    }
}
