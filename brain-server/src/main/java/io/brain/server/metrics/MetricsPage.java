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

    /** Null until {@link #watchMachine}. */
    private PrometheusMeterRegistry machine;

    private JvmGcMetrics collections;

    /** A page of what {@code sources} tell. */
    public MetricsPage(List<MetricsSource> sources) {
        this.sources = List.copyOf(sources);
    }

    /**
     * Begins to count what the Java machine does, if that has not begun. It is not done by the
     * constructor because it takes a twentieth of a start, and need not come before the first call.
     */
    public synchronized PrometheusMeterRegistry watchMachine() {
        if (machine == null) {
            machine = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            collections = new JvmGcMetrics();
            new ClassLoaderMetrics().bindTo(machine);
            new JvmMemoryMetrics().bindTo(machine);
            new JvmThreadMetrics().bindTo(machine);
            collections.bindTo(machine);
        }
        return machine;
    }

    /** The present values. */
    public String render() {
        MetricsText text = new MetricsText();
        sources.forEach(source -> source.writeTo(text));
        return text + watchMachine().scrape();
    }

    /** Stops listening to the garbage collector. */
    @Override
    public synchronized void close() {
        if (machine != null) {
            collections.close();
            machine.close();
        }
    }
}
