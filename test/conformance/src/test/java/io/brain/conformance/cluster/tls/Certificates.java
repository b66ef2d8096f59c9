package io.brain.conformance.cluster.tls;

import io.brain.conformance.server.Peer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Certificates for this machine's loopback, made by openssl in one directory. */
public final class Certificates {
    private static final int SECONDS_MAX = 30;
    private static final List<String> KEY =
            List.of("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes");

    /** Whole nets of addresses are the loopback; four of them stand for machines. */
    private static final String NAMES =
            "DNS:localhost,IP:127.0.0.1,IP:127.0.0.2,IP:127.0.0.3,IP:127.0.0.4";

    private final Path directory;

    public Certificates(Path directory) {
        this.directory = directory;
    }

    /** NAME.crt and NAME.key. */
    public void authority(String name) throws IOException, InterruptedException {
        run(
                with(
                        "req",
                        "-x509",
                        "-days",
                        "2",
                        "-subj",
                        "/CN=" + name,
                        "-out",
                        name + ".crt",
                        name));
    }

    /** NAME.crt and NAME.key, vouched for by an authority. */
    public void issue(String name, String authority, int days)
            throws IOException, InterruptedException {
        issue(name, "/CN=" + name, authority, days);
    }

    /** The same with another subject, such as "/O=nobody". */
    void issue(String name, String subject, String authority, int days)
            throws IOException, InterruptedException {
        Files.writeString(
                file("extensions"),
                "subjectAltName=" + NAMES + "\nextendedKeyUsage=serverAuth,clientAuth\n");
        run(with("req", "-subj", subject, "-out", name + ".csr", name));
        run(
                List.of(
                        "x509",
                        "-req",
                        "-in",
                        name + ".csr",
                        "-CA",
                        authority + ".crt",
                        "-CAkey",
                        authority + ".key",
                        "-CAcreateserial",
                        "-days",
                        Integer.toString(days),
                        "-extfile",
                        "extensions",
                        "-out",
                        name + ".crt"));
    }

    /** A list, in DER, of the one certificate that its authority takes back. */
    void revoke(String name, String authority, String list)
            throws IOException, InterruptedException {
        Files.writeString(
                file("ca.conf"),
                """
                [ca]
                default_ca=d
                [d]
                database=database
                crlnumber=number
                default_md=sha256
                default_crl_days=2
                """);
        Files.writeString(file("database"), "");
        Files.writeString(file("number"), "01\n");
        List<String> ca =
                List.of(
                        "ca",
                        "-config",
                        "ca.conf",
                        "-cert",
                        authority + ".crt",
                        "-keyfile",
                        authority + ".key");
        List<String> revoke = new ArrayList<>(ca);
        revoke.addAll(List.of("-revoke", name + ".crt"));
        run(revoke);
        List<String> write = new ArrayList<>(ca);
        write.addAll(List.of("-gencrl", "-out", "list.pem"));
        run(write);
        run(List.of("crl", "-in", "list.pem", "-outform", "DER", "-out", list));
    }

    Path file(String name) {
        return directory.resolve(name);
    }

    /** The last word is the name of the new key. */
    private static List<String> with(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        String name = all.remove(all.size() - 1);
        all.addAll(KEY);
        all.addAll(List.of("-keyout", name + ".key"));
        return all;
    }

    private void run(List<String> words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Peer.OPENSSL.require().toString());
        command.addAll(words);
        Path log = file("openssl.log");
        Process process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException(command + ": " + Files.readString(log));
        }
    }
}
