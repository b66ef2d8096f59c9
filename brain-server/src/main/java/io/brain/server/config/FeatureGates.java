package io.brain.server.config;

import io.brain.options.Option;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** etcd's feature gates, switched as {@code --feature-gates} says. */
final class FeatureGates {
    static final Option<String> FEATURE_GATES =
            Option.text(
                    "feature-gates",
                    "",
                    "name=true|false, separated by commas. LeaseCheckpoint keeps the remaining time"
                        + " of long leases across restarts; etcd's other gates change nothing.");

    private static final Map<String, Stage> GROUPS =
            Map.of("AllAlpha", Stage.ALPHA, "AllBeta", Stage.BETA);

    private final Map<Gate, Boolean> switched = new EnumMap<>(Gate.class);

    /** How mature etcd calls a feature; a group of gates goes by it. */
    private enum Stage {
        ALPHA,
        BETA
    }

    /** etcd's gates. */
    enum Gate {
        COMPACT_HASH_CHECK("CompactHashCheck", Stage.ALPHA),
        FAST_LEASE_KEEP_ALIVE("FastLeaseKeepAlive", Stage.BETA),
        INITIAL_CORRUPT_CHECK("InitialCorruptCheck", Stage.ALPHA),
        LEASE_CHECKPOINT("LeaseCheckpoint", Stage.ALPHA),
        LEASE_CHECKPOINT_PERSIST("LeaseCheckpointPersist", Stage.ALPHA),
        PRIORITY_REQUEST("PriorityRequest", Stage.ALPHA),
        SET_MEMBER_LOCAL_ADDR("SetMemberLocalAddr", Stage.ALPHA),
        STOP_GRPC_SERVICE_ON_DEFRAG("StopGRPCServiceOnDefrag", Stage.ALPHA),
        TXN_MODE_WRITE_WITH_SHARED_BUFFER("TxnModeWriteWithSharedBuffer", Stage.BETA);

        private final String text;
        private final Stage stage;

        Gate(String text, Stage stage) {
            this.text = text;
            this.stage = stage;
        }

        /** Of etcd's gates, those in beta are open. */
        private boolean isOpenByDefault() {
            return stage == Stage.BETA;
        }

        /** The others are about replicas, peers and etcd's own ways inside. */
        private boolean hasEffect() {
            return this == LEASE_CHECKPOINT || this == LEASE_CHECKPOINT_PERSIST;
        }
    }

    private FeatureGates() {}

    /**
     * Reads all values of the flag, in order.
     *
     * @throws ConfigException in etcd's words, if one is malformed or names no gate, or if they do
     *     not go together
     */
    static FeatureGates read(FlagValues values) {
        FeatureGates gates = new FeatureGates();
        for (String value : values.texts(FEATURE_GATES)) {
            try {
                gates.apply(pairs(value));
            } catch (IllegalArgumentException wrong) {
                throw ConfigException.usage(
                        "invalid value \""
                                + value
                                + "\" for flag -"
                                + FEATURE_GATES.name()
                                + ": "
                                + wrong.getMessage());
            }
        }
        if (gates.isOpen(Gate.LEASE_CHECKPOINT_PERSIST) && !gates.isOpen(Gate.LEASE_CHECKPOINT)) {
            throw ConfigException.value(
                    "enabling feature gate LeaseCheckpointPersist requires enabling feature gate"
                            + " LeaseCheckpoint");
        }
        return gates;
    }

    boolean isOpen(Gate gate) {
        return switched.getOrDefault(gate, gate.isOpenByDefault());
    }

    /** Gates that are not as by default, and have nothing to act on. */
    List<String> withoutEffect() {
        List<String> idle = new ArrayList<>();
        for (Gate gate : Gate.values()) {
            if (!gate.hasEffect() && isOpen(gate) != gate.isOpenByDefault()) {
                idle.add(gate.text + '=' + isOpen(gate));
            }
        }
        return idle;
    }

    private static Map<String, Boolean> pairs(String value) {
        Map<String, Boolean> pairs = new LinkedHashMap<>();
        for (String pair : value.split(",", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int split = pair.indexOf('=');
            String name = (split < 0 ? pair : pair.substring(0, split)).strip();
            if (split < 0) {
                throw new IllegalArgumentException("missing bool value for " + name);
            }
            String text = pair.substring(split + 1).strip();
            try {
                pairs.put(name, Option.parseBool(text));
            } catch (IllegalArgumentException malformed) {
                throw new IllegalArgumentException(
                        String.format(
                                "invalid value of %s=%s, err: strconv.ParseBool: parsing \"%s\":"
                                        + " invalid syntax",
                                name, text, text),
                        malformed);
            }
        }
        return pairs;
    }

    /** A group switches the gates that nothing has switched by their name, here or before. */
    private void apply(Map<String, Boolean> pairs) {
        pairs.forEach(
                (name, open) -> {
                    if (!GROUPS.containsKey(name)) {
                        switched.put(find(name), open);
                    }
                });
        GROUPS.forEach(
                (name, stage) -> {
                    if (pairs.containsKey(name)) {
                        switchAll(stage, pairs.get(name));
                    }
                });
    }

    private void switchAll(Stage stage, boolean open) {
        for (Gate gate : Gate.values()) {
            if (gate.stage == stage) {
                switched.putIfAbsent(gate, open);
            }
        }
    }

    private static Gate find(String name) {
        for (Gate gate : Gate.values()) {
            if (gate.text.equals(name)) {
                return gate;
            }
        }
        throw new IllegalArgumentException("unrecognized feature gate: " + name);
    }
}
