package io.brain.server.tls;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Common name of a certificate. */
public final class CommonName {
    /** Session key of the cached name. */
    private static final String KNOWN = CommonName.class.getName();

    private CommonName() {}

    /** Common name of the peer; null without a certificate, or if it is malformed. */
    public static String of(SSLSession session) {
        Object known = session.getValue(KNOWN);
        if (known != null) {
            return (String) known;
        }
        try {
            String name = of((X509Certificate) session.getPeerCertificates()[0]);
            session.putValue(KNOWN, name);
            return name;
        } catch (SSLPeerUnverifiedException | CertificateException unverified) {
            return null;
        }
    }

    /** Common name of a certificate, of several the last, as in Go; empty if it has none. */
    static String of(X509Certificate certificate) throws CertificateException {
        try {
            String name = "";
            for (Rdn part :
                    new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                Attribute common = part.toAttributes().get("CN");
                if (common != null) {
                    name = common.get(common.size() - 1).toString();
                }
            }
            return name;
        } catch (NamingException malformed) {
            throw new CertificateException(malformed);
        }
    }
}
