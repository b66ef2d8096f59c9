package io.brain.conformance.linear.load;

import io.brain.conformance.members.Clock;
import io.brain.conformance.members.Link;
import io.brain.conformance.members.Node;
import io.brain.conformance.members.Program;
import io.brain.conformance.members.Regions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The faults. Each is over when it returns: all members run, and all links are open. */
enum Fault {
    KILL_LEADER(false) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return kill(stage, stage.leader().map(Node::program));
        }
    },
    KILL_FOLLOWER(false) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return kill(stage, stage.follower().map(Node::program));
        }
    },
    PAUSE_LEADER_SHORT(false) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return pauseShort(stage, stage.leader().map(Node::program));
        }
    },
    PAUSE_LEADER_LONG(false) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return pauseLong(stage, stage.leader().map(Node::program));
        }
    },
    PAUSE_FOLLOWER(false) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            Optional<Program> follower = stage.follower().map(Node::program);
            return stage.coin() ? pauseShort(stage, follower) : pauseLong(stage, follower);
        }
    },
    RESTART_LEADER(false) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return restart(stage, stage.leader().map(Node::program));
        }
    },
    RESTART_FOLLOWER(false) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return restart(stage, stage.follower().map(Node::program));
        }
    },
    MOVE_LEADER(false) {
        @Override
        boolean inject(Stage stage) {
            Optional<Node> to = stage.follower();
            return to.isPresent()
                    && stage.cluster()
                            .moveLeader(to.get(), Duration.ofSeconds(LONG_MILLIS / 1_000));
        }
    },
    LINK_OF_CLIENTS(false) {
        @Override
        boolean inject(Stage stage) throws InterruptedException {
            return trouble(stage, stage.link(false, "client"));
        }
    },
    LINK_OF_NODES(false) {
        @Override
        boolean inject(Stage stage) throws InterruptedException {
            return trouble(stage, stage.link(true, ""));
        }
    },
    ISOLATE_LEADER(false) {
        @Override
        boolean inject(Stage stage) throws InterruptedException {
            return isolate(stage, stage.leader());
        }
    },
    ISOLATE_FOLLOWER(false) {
        @Override
        boolean inject(Stage stage) throws InterruptedException {
            return isolate(stage, stage.follower());
        }
    },
    /** A second process of the same member id, of the leader's mostly. */
    TWIN(true) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            Optional<Node> first = stage.upTo(4) > 1 ? stage.leader() : stage.follower();
            if (first.isEmpty()) {
                return false;
            }
            int number = stage.cluster().nodes().indexOf(first.get());
            Node node = stage.cluster().twins().get(number);
            Program twin = node.program();
            long deadline = System.nanoTime() + TWIN_START_MAX.toNanos();
            boolean serves = false;
            while (!serves && System.nanoTime() < deadline) {
                if (!twin.isAlive()) { // as a supervisor would
                    twin.start();
                }
                stage.hold(PAUSE_MILLIS, PAUSE_MILLIS);
                serves = node.serves();
            }
            if (serves) {
                stage.hold(LONG_MILLIS_MIN, 2 * LONG_MILLIS);
                stage.twinServes(node.serves() && first.get().serves());
            }
            if (!twin.isAlive()) {
                stage.twinEnded();
            } else if (stage.coin()) {
                twin.kill();
            } else {
                var unused = twin.terminate();
            }
            return true;
        }
    },
    LINK_TO_PD(true) {
        @Override
        boolean inject(Stage stage) throws InterruptedException {
            return trouble(stage, stage.links("pd"));
        }
    },
    LINK_TO_STORE(true) {
        @Override
        boolean inject(Stage stage) throws InterruptedException {
            return stage.coin()
                    ? trouble(stage, stage.link(false, "store"))
                    : trouble(stage, stage.links("store"));
        }
    },
    KILL_PD(true) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return kill(stage, Optional.of(stage.bed().leadingPd()));
        }
    },
    PAUSE_PD(true) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            Optional<Program> pd = Optional.of(stage.bed().leadingPd());
            return stage.coin() ? pauseShort(stage, pd) : pauseLong(stage, pd);
        }
    },
    PAUSE_STORE(true) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            Optional<Program> store = Optional.of(stage.store());
            return stage.coin() ? pauseShort(stage, store) : pauseLong(stage, store);
        }
    },
    RESTART_STORE(true) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return restart(stage, Optional.of(stage.store()));
        }
    },
    /** Of a TiKV with several nodes: the store of one loses what it had not synced. */
    KILL_STORE(true) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return stage.severalStores() && kill(stage, Optional.of(stage.store()));
        }
    },
    /** One node of a TiKV, or all, refuse writes as on a full disk. */
    FILL_STORE(true) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            if (!stage.severalStores()) {
                return false;
            }
            List<Program> full = stage.coin() ? stage.bed().stores() : List.of(stage.store());
            for (Program store : full) {
                stage.bed().restart(store, true);
            }
            stage.hold(LONG_MILLIS_MIN, LONG_MILLIS);
            for (Program store : full) {
                stage.bed().restart(store, false);
            }
            return true;
        }
    },
    MOVE_REGION_LEADERS(true) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return stage.changeRegions(Regions::moveLeaders);
        }
    },
    SPLIT_REGIONS(true) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return stage.changeRegions(Regions::split);
        }
    },
    MERGE_REGIONS(true) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            return stage.changeRegions(Regions::merge);
        }
    },
    /** The wall clock of one server or store goes minutes forward or back, and true again. */
    JUMP_CLOCK(true) {
        @Override
        boolean inject(Stage stage) throws IOException, InterruptedException {
            if (!Clock.jumps()) {
                return false;
            }
            Clock clock = stage.one(stage.cluster().clocks());
            Duration jump = Duration.ofSeconds(stage.upTo(JUMP_SECONDS_MAX));
            clock.jump(stage.coin() ? jump : jump.negated());
            stage.hold(LONG_MILLIS_MIN, LONG_MILLIS);
            clock.jump(Duration.ZERO);
            stage.hold(PAUSE_MILLIS, LONG_MILLIS_MIN);
            return true;
        }
    };

    /** Shorter than a leader's lease of 3 s, and than an election of etcd's. */
    private static final int SHORT_MILLIS = 900;

    /** Surely longer than both. */
    private static final int LONG_MILLIS_MIN = 4_000;

    private static final int LONG_MILLIS = 7_000;
    private static final int SLOW_MILLIS_MAX = 120;
    private static final int PAUSE_MILLIS = 100;
    private static final int JUMP_SECONDS_MAX = 600;
    private static final Duration TWIN_START_MAX = Duration.ofSeconds(40);

    private final boolean needsBed;

    Fault(boolean needsBed) {
        this.needsBed = needsBed;
    }

    /** True if it disturbs the PD or the store, which etcd does not have. */
    boolean needsBed() {
        return needsBed;
    }

    /** Injects the fault and heals it; false if it does not apply. */
    abstract boolean inject(Stage stage) throws IOException, InterruptedException;

    private static boolean kill(Stage stage, Optional<Program> victim)
            throws IOException, InterruptedException {
        if (victim.isEmpty()) {
            return false;
        }
        victim.get().kill();
        if (stage.coin()) {
            stage.hold(0, LONG_MILLIS);
        }
        victim.get().start();
        return true;
    }

    private static boolean restart(Stage stage, Optional<Program> victim)
            throws IOException, InterruptedException {
        if (victim.isEmpty()) {
            return false;
        }
        var unused = victim.get().terminate();
        stage.hold(0, SHORT_MILLIS);
        victim.get().start();
        return true;
    }

    private static boolean pauseShort(Stage stage, Optional<Program> victim)
            throws IOException, InterruptedException {
        return pause(stage, victim, 100, SHORT_MILLIS);
    }

    private static boolean pauseLong(Stage stage, Optional<Program> victim)
            throws IOException, InterruptedException {
        return pause(stage, victim, LONG_MILLIS_MIN, LONG_MILLIS);
    }

    private static boolean pause(Stage stage, Optional<Program> victim, int min, int max)
            throws IOException, InterruptedException {
        if (victim.isEmpty()) {
            return false;
        }
        victim.get().pause();
        try {
            stage.hold(min, max);
        } finally {
            victim.get().resume();
        }
        return true;
    }

    private static boolean trouble(Stage stage, Optional<Link> link) throws InterruptedException {
        return link.isPresent() && trouble(stage, List.of(link.get()));
    }

    /** From all others, sometimes from the clients too. */
    private static boolean isolate(Stage stage, Optional<Node> node) throws InterruptedException {
        if (node.isEmpty()) {
            return false;
        }
        boolean clientsToo = stage.coin();
        return trouble(
                stage,
                stage.cluster().network().of(node.get().name()).stream()
                        .filter(link -> clientsToo || !link.name().contains("client"))
                        .toList());
    }

    private static boolean trouble(Stage stage, List<Link> links) throws InterruptedException {
        int kind = stage.upTo(3);
        int delay = stage.upTo(SLOW_MILLIS_MAX);
        for (Link link : links) {
            switch (kind) {
                case 1 -> link.set(Link.State.CUT);
                case 2 -> link.set(Link.State.HELD);
                default -> link.slow(delay);
            }
        }
        try {
            stage.hold(200, LONG_MILLIS);
        } finally {
            links.forEach(link -> link.set(Link.State.OPEN));
        }
        return true;
    }
}
