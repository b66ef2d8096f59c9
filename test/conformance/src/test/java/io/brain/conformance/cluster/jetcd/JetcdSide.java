package io.brain.conformance.cluster.jetcd;

import io.brain.conformance.server.ServerHome;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** One server's client, and what its answers look like without what two servers may differ in. */
final class JetcdSide implements AutoCloseable {

    private static final long ANSWER_SECONDS_MAX = 30;

    private static final List<Rule> MASK =
            List.of(
                    new Rule("127\\.0\\.0\\.1:\\d+", "<address>"),
                    new Rule("\\b(cluster_id|member_id|leader|ID|lease): -?\\d{12,}", "$1: <id>"),
                    new Rule("\\b(raft_term|raft\\w+|dbSize\\w*): \\d+", "$1: <n>"),
                    // dbSizeQuota, which this client does not know.
                    new Rule("\\b12: \\d+", "12: <n>"),
                    new Rule("\\bTTL: 9\\d\\d\\b", "TTL: 1000"));

    private final ServerHome home;
    private final Client client;

    /** The lease that was granted last. */
    private long lease;

    JetcdSide(ServerHome home) {
        this.home = home;
        this.client = Client.builder().endpoints(home.clientUrl()).build();
    }

    Client client() {
        return client;
    }

    String endpoint() {
        return home.clientUrl();
    }

    long lease() {
        return lease;
    }

    CompletableFuture<?> grant(long seconds) {
        return client.getLeaseClient()
                .grant(seconds)
                .thenApply(
                        granted -> {
                            lease = granted.getID();
                            return granted;
                        });
    }

    /** The id of the server's one member. */
    long member() {
        return client.getClusterClient().listMember().join().getMembers().get(0).getId();
    }

    /** Where the member says that its peers find it. */
    String peerUrl() {
        return "http://127.0.0.1:" + home.peerPort();
    }

    /**
     * What a watcher is told, one line each.
     *
     * @param responses to wait for after the first; if negative, progress is asked for before
     * @param changes made once the watcher is there
     */
    CompletableFuture<String> watch(
            String key, WatchOption.Builder option, int responses, Runnable changes)
            throws InterruptedException {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        StringBuilder text = new StringBuilder();
        try (Watch.Watcher watcher =
                client.getWatchClient()
                        .watch(
                                bytes(key),
                                option.withCreateNotify(true).build(),
                                Watch.listener(
                                        response -> told.add(shown(response)),
                                        failure -> told.add(failure.toString())))) {
            text.append(told.poll(ANSWER_SECONDS_MAX, TimeUnit.SECONDS)).append('\n');
            changes.run();
            if (responses < 0) {
                watcher.requestProgress();
            }
            for (int i = 0; i < Math.abs(responses); i++) {
                text.append(told.poll(ANSWER_SECONDS_MAX, TimeUnit.SECONDS)).append('\n');
            }
        }
        return CompletableFuture.completedFuture(text.toString());
    }

    /** What came of a call: the answer, or the error's class and text; masked. */
    String make(JetcdCalls.Call call) throws Exception {
        String text;
        try {
            text = call.asked().by(this).get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS).toString();
        } catch (ExecutionException refused) {
            text =
                    refused.getCause().getClass().getSimpleName()
                            + ": "
                            + refused.getCause().getMessage();
        }
        for (Rule rule : MASK) {
            text = rule.pattern.matcher(text).replaceAll(rule.replacement);
        }
        return text.replaceAll("\\s+", " ");
    }

    @Override
    public void close() {
        client.close();
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    private static String shown(WatchResponse response) {
        StringBuilder text = new StringBuilder();
        text.append("revision ").append(response.getHeader().getRevision());
        text.append(response.isCreatedNotify() ? " created" : "");
        text.append(response.isProgressNotify() ? " progress" : "");
        for (WatchEvent event : response.getEvents()) {
            text.append("; ").append(event.getEventType());
            text.append(' ').append(event.getKeyValue().getKey());
            text.append('=').append(event.getKeyValue().getValue());
            text.append('@').append(event.getKeyValue().getModRevision());
            text.append(" before: ").append(event.getPrevKV().getValue());
        }
        return text.toString();
    }

    private record Rule(Pattern pattern, String replacement) {
        Rule(String pattern, String replacement) {
            this(Pattern.compile(pattern), replacement);
        }
    }
}
