package io.brain.conformance.members;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Changes of a TiKV's regions, as its scheduler makes them, by orders to PD. Each returns how many
 * orders PD has taken; it carries them out afterwards.
 */
public final class Regions {

    private static final int ORDERS_MAX = 8;

    private final PdApi pd;

    Regions(PdApi pd) {
        this.pd = pd;
    }

    /** Moves the leaders of some regions to other nodes. */
    public int moveLeaders(Random random) throws IOException, InterruptedException {
        int taken = 0;
        for (JsonObject region : some(random)) {
            List<Integer> others = new ArrayList<>();
            int leader = store(region.getAsJsonObject("leader"));
            for (JsonElement peer : region.getAsJsonArray("peers")) {
                int store = store(peer.getAsJsonObject());
                if (store != leader) {
                    others.add(store);
                }
            }
            if (others.isEmpty()) {
                continue;
            }
            JsonObject order = order("transfer-leader");
            order.addProperty("region_id", id(region));
            order.addProperty("to_store_id", others.get(random.nextInt(others.size())));
            taken += pd.order(order) ? 1 : 0;
        }
        return taken;
    }

    /** Splits some regions in the middle of their data. */
    public int split(Random random) throws IOException, InterruptedException {
        int taken = 0;
        for (JsonObject region : some(random)) {
            JsonObject order = order("split-region");
            order.addProperty("region_id", id(region));
            order.addProperty("policy", "scan");
            taken += pd.order(order) ? 1 : 0;
        }
        return taken;
    }

    /** Merges some regions into their neighbours. */
    public int merge(Random random) throws IOException, InterruptedException {
        int taken = 0;
        List<JsonObject> regions = all();
        for (int i = random.nextInt(2); i + 1 < Math.min(regions.size(), 2 * ORDERS_MAX); i += 2) {
            JsonObject order = order("merge-region");
            order.addProperty("source_region_id", id(regions.get(i)));
            order.addProperty("target_region_id", id(regions.get(i + 1)));
            taken += pd.order(order) ? 1 : 0;
        }
        return taken;
    }

    private List<JsonObject> some(Random random) throws IOException, InterruptedException {
        List<JsonObject> regions = all();
        Collections.shuffle(regions, random);
        return regions.subList(0, Math.min(regions.size(), ORDERS_MAX));
    }

    /** Those with a leader, in the order of their keys. */
    private List<JsonObject> all() throws IOException, InterruptedException {
        List<JsonObject> regions = new ArrayList<>();
        for (JsonElement one : pd.object("/pd/api/v1/regions/key").getAsJsonArray("regions")) {
            JsonObject region = one.getAsJsonObject();
            if (region.has("leader") && region.getAsJsonObject("leader").has("store_id")) {
                regions.add(region);
            }
        }
        return regions;
    }

    private static JsonObject order(String name) {
        JsonObject order = new JsonObject();
        order.addProperty("name", name);
        return order;
    }

    private static long id(JsonObject region) {
        return region.get("id").getAsLong();
    }

    private static int store(JsonObject peer) {
        return peer.get("store_id").getAsInt();
    }
}
