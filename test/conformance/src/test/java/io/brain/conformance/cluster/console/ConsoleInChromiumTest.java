package io.brain.conformance.cluster.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.protobuf.ByteString;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.PutRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console in Chromium, driven by its command line: what is in the document after its scripts
 * ran, and what the page looks like where it is narrow or wide, light or dark. Brain's alone.
 */
@Tag("peer")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleInChromiumTest {
    private static final int SECONDS_MAX = 120;
    private static final String HOSTILE_KEY = "/registry/<img src=x onerror=document.title=1>/a";
    private static final String HOSTILE_VALUE = "</pre><script>document.title='broken'</script>";
    private static final String DARK = "--blink-settings=preferredColorScheme=0";

    private Path chromium;
    private Path directory;
    private ServerProcess server;

    @BeforeAll
    void start(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path home) throws Exception {
        chromium = Peer.CHROMIUM.require();
        directory = home;
        ServerCommand command = ServerCommand.underTest();
        assumeFalse(command.isEtcd(), "etcd has no console");
        server =
                ServerProcess.start(
                        command.shortLived().withFlags(List.of("--brain-ui-keys=true")),
                        ServerHome.fresh(home.resolve("server")));
        ManagedChannel channel =
                NettyChannelBuilder.forTarget(server.home().target()).usePlaintext().build();
        try {
            KVGrpc.KVBlockingStub kv = KVGrpc.newBlockingStub(channel);
            for (int i = 0; i < 70; i++) {
                put(kv, "/registry/pods/default/p" + i, "pod " + i);
            }
            put(kv, "/registry/pods/default/p7", "pod 7, changed");
            put(kv, HOSTILE_KEY, HOSTILE_VALUE);
            LeaseGrpc.newBlockingStub(channel)
                    .leaseGrant(LeaseGrantRequest.newBuilder().setID(0xabc).setTTL(600).build());
        } finally {
            channel.shutdownNow();
        }
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void everySectionIsFilled() throws Exception {
        String document = document("");
        assertThat(document)
                .contains(
                        "data-loaded=\"true\"", "data-browsed=\"true\"", "<title>Brain s1</title>")
                .contains(">this server<", ">commit<", ">abc<", "71 keys under 2 prefixes")
                .contains("<th class=\"key\" scope=\"row\">/registry/pods/</th>")
                .contains("None since the start of this server.", "All watchers are synced.")
                .doesNotContain("Cannot read", "could not be read", "undefined", "NaN");
        assertThat(document.split("<svg", -1)).as("pictures of rates").hasSize(4);
    }

    @Test
    void whatKeysAndValuesContainStaysText() throws Exception {
        String document = document("#prefix=/registry/%3C&key64=" + encoded(HOSTILE_KEY));
        assertThat(document)
                .contains("<title>Brain s1</title>")
                .contains("/registry/&lt;img src=x onerror=document.title=1&gt;/a")
                .contains("&lt;/pre&gt;&lt;script&gt;document.title='broken'&lt;/script&gt;")
                .doesNotContain("<img");
    }

    @Test
    void aKeyIsShownAsItWasAtARevisionWithItsHistory() throws Exception {
        String key = encoded("/registry/pods/default/p7");
        String now = document("#prefix=/registry/pods/&key64=" + key);
        assertThat(now)
                .contains(">pod 7, changed</pre>", ">72</button>", ">9</button>", ">Next page<");
        String before = document("#prefix=/registry/pods/&revision=9&key64=" + key);
        assertThat(before).contains(">pod 7</pre>").doesNotContain(">pod 7, changed<");
    }

    @Test
    void withoutTheFlagNoKeyIsShown() throws Exception {
        ServerHome home = ServerHome.fresh(directory.resolve("plain"));
        try (ServerProcess plain =
                ServerProcess.start(ServerCommand.underTest().shortLived(), home)) {
            String document = document(plain.home().metricsUrl() + "/ui", "");
            assertThat(document)
                    .contains("data-browsed=\"true\"", ">this server<")
                    .containsPattern("<section [^>]*id=\"browser\"[^>]* hidden=\"\"");
        }
    }

    @Test
    void itFitsNarrowAndWideScreensLightAndDark() throws Exception {
        for (int width : new int[] {390, 1280}) {
            int light = corner(width);
            int dark = corner(width, DARK);
            assertThat(light & 0xff).as("light at %s", width).isGreaterThan(0xc0);
            assertThat(dark & 0xff).as("dark at %s", width).isLessThan(0x40);
        }
    }

    /** Takes a picture, which stays if the test fails; answers the colour of its corner. */
    private int corner(int width, String... more) throws Exception {
        Path picture = directory.resolve("console-" + width + "-" + more.length + ".png");
        List<String> words = new ArrayList<>(List.of(more));
        words.add("--window-size=" + width + ",1600");
        words.add("--screenshot=" + picture);
        chromium(server.home().metricsUrl() + "/ui", words);
        BufferedImage image = ImageIO.read(picture.toFile());
        assertThat(image.getWidth()).isEqualTo(width);
        return image.getRGB(2, 2);
    }

    private String document(String place) throws Exception {
        return document(server.home().metricsUrl() + "/ui", place);
    }

    /** The document after its scripts ran, without them. */
    private String document(String url, String place) throws Exception {
        String whole = chromium(url + place, List.of("--dump-dom"));
        return whole.replaceFirst("(?s)<script>.*</script>", "");
    }

    private String chromium(String url, List<String> more) throws Exception {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                chromium.toString(),
                                "--headless",
                                "--no-sandbox", // it runs as root where tests do, and sees only us
                                "--disable-gpu",
                                "--hide-scrollbars",
                                "--virtual-time-budget=20000",
                                "--user-data-dir=" + directory.resolve("profile")));
        words.addAll(more);
        words.add(url);
        Path out = Files.createTempFile(directory, "chromium", ".html");
        Process process =
                new ProcessBuilder(words)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .redirectOutput(out.toFile())
                        .start();
        try {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IOException("Chromium did not end");
            }
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(out);
    }

    private static void put(KVGrpc.KVBlockingStub kv, String key, String value) {
        var unused =
                kv.put(
                        PutRequest.newBuilder()
                                .setKey(ByteString.copyFromUtf8(key))
                                .setValue(ByteString.copyFromUtf8(value))
                                .build());
    }

    private static String encoded(String key) {
        return java.util.Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(key.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
