package io.brain.conformance.cluster.jetcd;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A server and a jetcd client of it for all tests of a class; tests use keys of their own. */
@Tag("peer")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class JetcdFixture {

    private static final long ANSWER_SECONDS_MAX = 60;

    private ServerProcess server;
    private Client client;

    /** The server that the tests run on. */
    abstract ServerCommand command();

    @BeforeAll
    final void startServer(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        server = ServerProcess.start(command(), ServerHome.fresh(directory));
        client = Client.builder().endpoints(server.home().clientUrl()).build();
    }

    @AfterAll
    final void stopServer() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }

    Client client() {
        return client;
    }

    String endpoint() {
        return server.home().clientUrl();
    }

    /** Puts and returns the revision of the put. */
    long put(String key, String value) throws Exception {
        return answer(client.getKVClient().put(bytes(key), bytes(value))).getHeader().getRevision();
    }

    long delete(String key) throws Exception {
        return answer(client.getKVClient().delete(bytes(key))).getHeader().getRevision();
    }

    List<KeyValue> get(String key) throws Exception {
        return answer(client.getKVClient().get(bytes(key))).getKvs();
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    static String text(ByteSequence bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    static List<String> keys(List<KeyValue> kvs) {
        return kvs.stream().map(kv -> text(kv.getKey())).toList();
    }

    static <T> T answer(CompletableFuture<T> future)
            throws ExecutionException, InterruptedException, TimeoutException {
        return future.get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
    }

    static AbstractThrowableAssert<?, ?> assertRefused(CompletableFuture<?> future) {
        return assertThatThrownBy(() -> answer(future)).isInstanceOf(ExecutionException.class);
    }
}
