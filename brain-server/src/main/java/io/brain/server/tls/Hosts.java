package io.brain.server.tls;

import io.netty.util.NetUtil;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Matches certificates with hosts: by subject alternative names, not by common name. */
final class Hosts {
    private static final int NAME = 2;
    private static final int ADDRESS = 7;

    private Hosts() {}

    static boolean isFor(X509Certificate certificate, String host) {
        byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names != null
                    && names.stream()
                            .anyMatch(
                                    name ->
                                            address == null
                                                    ? isName(name, host)
                                                    : isAddress(name, address));
        } catch (CertificateParsingException malformed) {
            return false;
        }
    }

    private static boolean isAddress(List<?> name, byte[] address) {
        return name.get(0).equals(ADDRESS)
                && Arrays.equals(
                        address,
                        NetUtil.createByteArrayFromIpAddressString(name.get(1).toString()));
    }

    /** A wildcard matches the first label. */
    private static boolean isName(List<?> name, String host) {
        if (!name.get(0).equals(NAME)) {
            return false;
        }
        String pattern = name.get(1).toString().toLowerCase(Locale.ROOT);
        String wanted = host.toLowerCase(Locale.ROOT);
        int label = wanted.indexOf('.');
        return pattern.equals(wanted)
                || (pattern.startsWith("*.")
                        && label > 0
                        && pattern.substring(1).equals(wanted.substring(label)));
    }
}
