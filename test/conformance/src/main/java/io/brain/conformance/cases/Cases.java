package io.brain.conformance.cases;

import io.brain.conformance.access.AuthCases;
import io.brain.conformance.script.Scenario;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All scenarios, by area. */
public final class Cases {

    /** The area that compares hashes of histories. */
    public static final String HASH = "hash";

    private Cases() {}

    /** Each area's name with its scenarios, in a fixed order. */
    public static Map<String, List<Scenario>> byArea() {
        Map<String, List<Scenario>> areas = new LinkedHashMap<>();
        areas.put("range", RangeCases.scenarios());
        areas.put("range order", RangeOrderCases.scenarios());
        areas.put("put and delete", PutDeleteCases.scenarios());
        areas.put("transaction", TxnCases.scenarios());
        areas.put("transaction overlap", TxnOverlapCases.scenarios());
        areas.put("compare", CompareCases.scenarios());
        areas.put("compaction", CompactCases.scenarios());
        areas.put("watch", WatchCases.scenarios());
        areas.put("watch event", WatchEventCases.scenarios());
        areas.put("watch over time", WatchFlowCases.scenarios());
        areas.put("watch under load", WatchLoadCases.scenarios());
        areas.put("lease", LeaseCases.scenarios());
        areas.put("lock", LockCases.scenarios());
        areas.put("election", ElectionCases.scenarios());
        areas.put("maintenance", MiscCases.scenarios());
        areas.put(HASH, HashCases.scenarios());
        areas.put("odd maintenance", OddMaintenanceCases.scenarios());
        areas.put("upkeep", UpkeepCases.scenarios());
        areas.put("wire", WireCases.scenarios());
        areas.put("http", HttpCases.scenarios());
        areas.put("auth", AuthCases.scenarios());
        areas.put("bulk", BulkCases.scenarios());
        return areas;
    }

    /** Scenarios that take minutes each. */
    public static List<Scenario> slow() {
        return UpkeepCases.slow();
    }
}
