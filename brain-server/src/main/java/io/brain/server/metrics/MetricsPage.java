package io.brain.server.metrics;

import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;

/** The /metrics page: etcd's and Brain's metrics, then the JVM's. */
public final class MetricsPage implements AutoCloseable {
    private final List<MetricsSource> sources;

    /** Null until {@link #startJvmMetrics}. */
    private PrometheusMeterRegistry jvm;

    private JvmGcMetrics gc;

    /** Creates a page of the metrics of {@code sources}. */
    public MetricsPage(List<MetricsSource> sources) {
        this.sources = List.copyOf(sources);
    }

    /**
     * Starts JVM metrics, if not yet started. Not part of the constructor because it takes 5 % of
     * the startup time and is not needed before the first call.
     */
    public synchronized PrometheusMeterRegistry startJvmMetrics() {
        if (jvm == null) {
            jvm = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            gc = new JvmGcMetrics();
            new ClassLoaderMetrics().bindTo(jvm);
            new JvmMemoryMetrics().bindTo(jvm);
            new JvmThreadMetrics().bindTo(jvm);
            gc.bindTo(jvm);
        }
        return jvm;
    }

    /** Renders the current values. */
    public String render() {
        MetricsText text = new MetricsText();
        sources.forEach(source -> source.writeTo(text));
        return text + startJvmMetrics().scrape();
    }

    /** Stops JVM metrics. */
    @Override
    public synchronized void close() {
        if (jvm != null) {
            gc.close();
            jvm.close();
        }
    }
}
