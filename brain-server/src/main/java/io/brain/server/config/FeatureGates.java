package io.brain.server.config;

import io.brain.options.Option;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** etcd's feature gates, set by {@code --feature-gates}. */
final class FeatureGates {
    static final Option<String> FEATURE_GATES =
            Option.text(
                    "feature-gates",
                    "",
                    "name=true|false, separated by commas. LeaseCheckpoint keeps the remaining time"
                        + " of long leases across restarts; etcd's other gates change nothing.");

    static final String LEASE_CHECKPOINT = "LeaseCheckpoint";
    private static final String LEASE_CHECKPOINT_PERSIST = "LeaseCheckpointPersist";

    /**
     * etcd's gates in alphabetical order; those in beta are open by default, those in alpha not.
     */
    private static final Map<String, Boolean> BETA =
            new TreeMap<>(
                    Map.of(
                            "CompactHashCheck",
                            false,
                            "FastLeaseKeepAlive",
                            true,
                            "InitialCorruptCheck",
                            false,
                            LEASE_CHECKPOINT,
                            false,
                            LEASE_CHECKPOINT_PERSIST,
                            false,
                            "PriorityRequest",
                            false,
                            "SetMemberLocalAddr",
                            false,
                            "StopGRPCServiceOnDefrag",
                            false,
                            "TxnModeWriteWithSharedBuffer",
                            true));

    /** Names that stand for all gates in beta, or in alpha. */
    private static final Map<String, Boolean> GROUPS = Map.of("AllAlpha", false, "AllBeta", true);

    private final Map<String, Boolean> switched = new HashMap<>();

    private FeatureGates() {}

    /**
     * Reads all values of the flag, in order.
     *
     * @throws ConfigException with etcd's text, if one is malformed or unknown, or if they conflict
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
        if (gates.isOpen(LEASE_CHECKPOINT_PERSIST) && !gates.isOpen(LEASE_CHECKPOINT)) {
            throw ConfigException.value(
                    "enabling feature gate LeaseCheckpointPersist requires enabling feature gate"
                            + " LeaseCheckpoint");
        }
        return gates;
    }

    boolean isOpen(String gate) {
        return switched.getOrDefault(gate, BETA.get(gate));
    }

    /** Gates without effect that are not at their default. */
    List<String> withoutEffect() {
        return BETA.keySet().stream()
                .filter(gate -> !gate.startsWith(LEASE_CHECKPOINT))
                .filter(gate -> isOpen(gate) != BETA.get(gate))
                .map(gate -> gate + '=' + isOpen(gate))
                .toList();
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
                    if (BETA.containsKey(name)) {
                        switched.put(name, open);
                    } else if (!GROUPS.containsKey(name)) {
                        throw new IllegalArgumentException("unrecognized feature gate: " + name);
                    }
                });
        GROUPS.forEach(
                (group, beta) -> {
                    if (pairs.containsKey(group)) {
                        BETA.forEach(
                                (gate, isBeta) -> {
                                    if (isBeta.equals(beta)) {
                                        switched.putIfAbsent(gate, pairs.get(group));
                                    }
                                });
                    }
                });
    }
}
