package io.brain.server.tls;

import io.brain.server.config.BrainConfig.Identity;
import io.brain.server.process.ReloadedFiles;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TLS context that is built again when its files change. New connections use the new context, and
 * cannot resume sessions of the previous one. An invalid file does not prevent the reload of the
 * others. Thread-safe.
 */
final class ReloadedContext extends SslContext {
    private static final Logger LOG = LoggerFactory.getLogger(ReloadedContext.class);

    private final FileSet files;
    private final Builder builder;
    private final ReloadedFiles<Credentials> own;
    private final ReloadedFiles<List<X509Certificate>> authorities;
    private final ReloadedFiles<Set<BigInteger>> revoked;

    // Guarded by this.
    private Content content;
    private SslContext context; // null until it is used

    /** The files; each may be null. */
    record FileSet(Identity own, Path authorities, Path revoked) {
        private static final FileSet NONE = new FileSet(null, null, null);
    }

    /**
     * Content of the files.
     *
     * @param own null without a file
     * @param authorities trusted CAs; empty without a file
     * @param revoked serial numbers of revoked certificates
     */
    record Content(Credentials own, List<X509Certificate> authorities, Set<BigInteger> revoked) {}

    /** Builds a context. */
    @FunctionalInterface
    interface Builder {
        SslContext build(Content content) throws IOException;
    }

    /**
     * Builds the first context. Without files, this is done on first use: nothing can be wrong with
     * them, and Java's TLS takes a quarter of the CPU time of a start.
     *
     * @throws IOException if a file cannot be loaded
     */
    ReloadedContext(FileSet files, Builder builder) throws IOException {
        this.files = files;
        this.builder = builder;
        Identity identity = files.own();
        List<Path> pair =
                identity == null ? List.of() : List.of(identity.certificates(), identity.key());
        own = new ReloadedFiles<>(pair, null, Credentials::parse);
        authorities = new ReloadedFiles<>(optional(files.authorities()), List.of(), Pem::bundle);
        revoked = new ReloadedFiles<>(optional(files.revoked()), Set.of(), CallerCheck::serials);
        content = read();
        context = files.equals(FileSet.NONE) ? null : builder.build(content);
    }

    private static List<Path> optional(Path file) {
        return file == null ? List.of() : List.of(file);
    }

    private Content read() {
        return new Content(own.get(), authorities.get(), revoked.get());
    }

    private synchronized SslContext current() {
        Content now = read();
        if (context == null || !now.equals(content)) {
            content = now;
            try {
                context = builder.build(now);
            } catch (IOException unusable) {
                if (context == null) {
                    throw new UncheckedIOException(unusable);
                }
                LOG.warn("TLS reload failed, keeping previous files: {}", unusable.getMessage());
            }
        }
        return context;
    }

    /** Certificates in use, by file. */
    Map<Path, List<X509Certificate>> certificates() {
        Content now = read();
        Map<Path, List<X509Certificate>> used = new HashMap<>();
        if (files.own() != null) {
            used.put(files.own().certificates(), now.own().chain());
        }
        if (files.authorities() != null) {
            used.put(files.authorities(), now.authorities());
        }
        return used;
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator alloc) {
        return current().newEngine(alloc);
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator alloc, String peerHost, int peerPort) {
        return current().newEngine(alloc, peerHost, peerPort);
    }

    @Override
    public boolean isClient() {
        return current().isClient();
    }

    @Override
    public List<String> cipherSuites() {
        return current().cipherSuites();
    }

    @Override
    @SuppressWarnings("deprecation") // no other type in the signature of SslContext
    public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
        return current().applicationProtocolNegotiator();
    }

    @Override
    public SSLSessionContext sessionContext() {
        return current().sessionContext();
    }
}
