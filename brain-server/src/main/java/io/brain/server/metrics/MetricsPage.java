package io.brain.server.metrics;

import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;

/** The page under /metrics: etcd's names first, then the Java machine's. */
public final class MetricsPage implements AutoCloseable {
    private final List<MetricsSource> sources;
    private final PrometheusMeterRegistry machine =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();

    /** A page of what {@code sources} tell. */
    public MetricsPage(List<MetricsSource> sources) {
        this.sources = List.copyOf(sources);
        new ClassLoaderMetrics().bindTo(machine);
        new JvmMemoryMetrics().bindTo(machine);
        new JvmThreadMetrics().bindTo(machine);
        collections.bindTo(machine);
    }

    /** The present values. */
    public String render() {
        MetricsText text = new MetricsText();
        sources.forEach(source -> source.writeTo(text));
        return text + machine.scrape();
    }

    /** Stops listening to the garbage collector. */
    @Override
    public void close() {
        collections.close();
        machine.close();
    }
}
