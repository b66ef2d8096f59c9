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
 * Where connections are accepted.
 *
 * @param socket of the internet, or of the file system
 * @param way what is spoken there
 */
record Address(SocketAddress socket, Way way) {
    /** What is spoken. */
    enum Way {
        IN_THE_CLEAR,
        TLS,
        /** The client decides. */
        EITHER
    }

    /** Addresses, each of them once. */
    static List<Address> of(List<Endpoint> endpoints) {
        Map<SocketAddress, Way> ways = new LinkedHashMap<>();
        for (Endpoint endpoint : endpoints) {
            Way way = endpoint.tls() ? Way.TLS : Way.IN_THE_CLEAR;
            ways.merge(endpoint.address(), way, (one, two) -> one == two ? one : Way.EITHER);
        }
        List<Address> addresses = new ArrayList<>();
        ways.forEach((socket, way) -> addresses.add(new Address(socket, way)));
        return addresses;
    }

    boolean isFile() {
        return socket instanceof UnixDomainSocketAddress;
    }

    Class<? extends ServerChannel> channelType() {
        return isFile() ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class;
    }

    /**
     * Removes what a server that is gone has left in the file system, as etcd does.
     *
     * @throws IOException if there is a file that is no socket, or somebody serves it
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
                throw new IOException(file + " is there and is no socket");
            }
            if (isServed()) {
                throw refused(file.toString(), new IOException("somebody serves it"));
            }
            Files.delete(file);
        } catch (NoSuchFileException free) {
            return;
        }
    }

    private boolean isServed() throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(socket);
        } catch (SocketException nobody) {
            return false;
        }
    }

    /** That it cannot be had, in words for an operator. */
    static IOException refused(String where, Throwable why) {
        Throwable first = why;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        return new IOException(
                where + ": " + first.getMessage() + "; stop what has it, or name another address",
                why);
    }

    /** Leaves nothing behind. */
    void clear() throws IOException {
        if (isFile()) {
            Files.deleteIfExists(((UnixDomainSocketAddress) socket).getPath());
        }
    }
}
