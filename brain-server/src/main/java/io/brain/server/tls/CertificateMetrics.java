package io.brain.server.tls;

import io.brain.server.metrics.MetricsSource;
import io.brain.server.metrics.MetricsText;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Metrics of certificate expiry. */
public final class CertificateMetrics implements MetricsSource {
    private final List<TlsContexts> sources;

    /** Creates metrics of the files that {@code sources} use. */
    public CertificateMetrics(List<TlsContexts> sources) {
        this.sources = List.copyOf(sources);
    }

    @Override
    public void writeTo(MetricsText text) {
        Map<String, Long> expiries = new TreeMap<>();
        for (TlsContexts source : sources) {
            for (Expiry expiry : source.expiries()) {
                expiries.put(expiry.file().toString(), expiry.earliest().get().getEpochSecond());
            }
        }
        if (expiries.isEmpty()) {
            return;
        }
        text.gauge(
                "brain_certificate_expiry_timestamp_seconds",
                "Earliest expiry of a certificate in the file, since the Unix epoch in seconds.");
        expiries.forEach((file, end) -> text.value(end, "file", file));
    }
}
