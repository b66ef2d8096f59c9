package io.brain.bench.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import io.brain.bench.load.Latency;
import io.brain.bench.load.Measurement;
import io.brain.bench.load.Recorder;
import io.brain.bench.report.Results.Result;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The JSON file: every stretch of every round, without aggregation. */
public final class Json {

    private static final Gson GSON =
            new GsonBuilder()
                    .serializeNulls()
                    .disableHtmlEscaping()
                    .registerTypeAdapter(Double.class, new Rounded())
                    .create();

    private Json() {}

    /**
     * Renders the file.
     *
     * @param about command line and machine
     */
    public static String of(Results results, Map<String, ?> about) {
        List<Object> stretches = new ArrayList<>();
        results.all().forEach(result -> stretches.add(stretch(result)));
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("about", about);
        all.put("servers", results.servers());
        all.put("stretches", stretches);
        return text(all) + '\n';
    }

    private static Map<String, Object> stretch(Result result) {
        Measurement figures = result.figures();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("round", result.round());
        map.put("load", result.shape().kind());
        map.put("axis", result.shape().axis());
        map.put("size", result.shape().size());
        map.put("server", result.server());
        map.put("unit", result.shape().unit());
        map.put("units", figures.units());
        map.put("seconds", figures.seconds());
        map.put("perSecond", figures.rate());
        map.put("latencyMicros", latency(figures.latency()));
        map.put("serverMicrosPerUnit", figures.serverMicros());
        map.put("clientMicrosPerUnit", figures.clientMicros());
        map.put("serverRssKib", figures.server().rssKib());
        map.put("serverPeakKib", figures.server().peakKib());
        map.put("failures", figures.failures().count());
        map.put("firstFailure", figures.failures().first());
        map.put("more", new TreeMap<>(figures.more()));
        List<Object> seconds = new ArrayList<>();
        for (Recorder.Second second : figures.series()) {
            seconds.add(List.of(second.at(), second.operations(), second.p99Micros()));
        }
        map.put("secondOperationsP99Micros", seconds);
        return map;
    }

    private static Map<String, Object> latency(Latency latency) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("p50", latency.p50());
        map.put("p90", latency.p90());
        map.put("p99", latency.p99());
        map.put("p99.9", latency.p999());
        map.put("max", latency.max());
        return map;
    }

    /** Writes maps, lists, strings, numbers and null; NaN and infinity as null. */
    static String text(Object value) {
        return GSON.toJson(value);
    }

    /** Three decimals. */
    private static final class Rounded extends TypeAdapter<Double> {
        @Override
        public void write(JsonWriter out, Double number) throws IOException {
            out.jsonValue(
                    Double.isFinite(number) ? String.format(Locale.ROOT, "%.3f", number) : "null");
        }

        @Override
        public Double read(JsonReader in) {
            throw new UnsupportedOperationException("only written");
        }
    }
}
