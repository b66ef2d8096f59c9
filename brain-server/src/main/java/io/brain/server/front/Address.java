package io.brain.server.front;

import io.brain.server.config.BrainConfig.Endpoint;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A listen address.
 *
 * @param socket TCP address or Unix socket
 * @param encryption encryption of its connections
 */
record Address(SocketAddress socket, Encryption encryption) {
    /** Encryption of the connections. */
    enum Encryption {
        NONE,
        TLS,
        /** Plaintext or TLS, detected per connection. */
        OPTIONAL
    }

    /** Distinct addresses of the endpoints. */
    static List<Address> of(List<Endpoint> endpoints) {
        Map<SocketAddress, Encryption> byAddress = new LinkedHashMap<>();
        for (Endpoint endpoint : endpoints) {
            Encryption encryption = endpoint.tls() ? Encryption.TLS : Encryption.NONE;
            byAddress.merge(
                    endpoint.address(),
                    encryption,
                    (one, two) -> one == two ? one : Encryption.OPTIONAL);
        }
        List<Address> addresses = new ArrayList<>();
        byAddress.forEach((socket, encryption) -> addresses.add(new Address(socket, encryption)));
        return addresses;
    }

    boolean isFile() {
        return socket instanceof UnixDomainSocketAddress;
    }

    Class<? extends ServerChannel> channelType() {
        return isFile() ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class;
    }

    /**
     * Removes a stale Unix socket, as etcd does.
     *
     * @throws IOException if the file is not a socket, or another process serves it
     */
    void prepare() throws IOException {
        if (!isFile()) {
            return;
        }
        Path file = ((UnixDomainSocketAddress) socket).getPath();
        try {
            BasicFileAttributes found =
                    Files.readAttributes(
                            file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!found.isOther()) {
                throw new IOException(file + " exists and is not a socket");
            }
            if (isServed()) {
                throw refused(file.toString(), new IOException("socket already in use"));
            }
            Files.delete(file);
        } catch (NoSuchFileException free) {
            return;
        }
    }

    private boolean isServed() throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(socket);
        } catch (SocketException refused) {
            return false;
        }
    }

    /** The error of an address that cannot be bound. */
    static IOException refused(String where, Throwable why) {
        Throwable first = why;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        String reason = String.valueOf(first.getMessage());
        String advice = reason.contains("in use") ? "stop the other process, or use" : "use";
        return new IOException(where + ": " + reason + "; " + advice + " another address", why);
    }

    /** Removes the Unix socket. */
    void clear() throws IOException {
        if (isFile()) {
            Files.deleteIfExists(((UnixDomainSocketAddress) socket).getPath());
        }
    }
}
