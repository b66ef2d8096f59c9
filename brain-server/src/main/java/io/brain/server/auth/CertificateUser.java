package io.brain.server.auth;

import io.brain.server.tls.CommonName;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import java.util.Optional;
import javax.net.ssl.SSLSession;

/** The user that a client certificate names, with --client-cert-auth. */
public final class CertificateUser {
    /** Sent by gateways, whose own certificate says nothing about their clients. */
    private static final Metadata.Key<String> GATEWAY =
            Metadata.Key.of("grpcgateway-accept", Metadata.ASCII_STRING_MARSHALLER);

    private CertificateUser() {}

    /**
     * The common name of the verified client certificate, which may be empty; absent without a
     * certificate.
     *
     * @param connection attributes of the call
     * @param headers of the call
     */
    public static Optional<String> of(Attributes connection, Metadata headers) {
        SSLSession session = connection.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        if (session == null || headers.containsKey(GATEWAY)) {
            return Optional.empty();
        }
        return Optional.ofNullable(CommonName.of(session));
    }
}
