package io.brain.conformance.failover;

import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import java.io.IOException;
import java.time.Duration;

/** The ways in which a leader goes. */
enum Disruption {
    SIGTERM("clean: SIGTERM of the leader") {
        @Override
        void inject(Cluster cluster, Node leader) throws InterruptedException {
            var unused = leader.program().terminate();
        }

        @Override
        void heal(Node leader) throws IOException {
            leader.program().start();
        }
    },
    MOVE_LEADER("clean: MoveLeader") {
        @Override
        void inject(Cluster cluster, Node leader) throws IOException {
            int next = (cluster.nodes().indexOf(leader) + 1) % cluster.nodes().size();
            // It is refused when another one was faster than the one that was to lead.
            for (int i = 1; !cluster.moveLeader(cluster.nodes().get(next), MOVE_MAX); i++) {
                if (i == MOVES_MAX) {
                    throw new IOException("MoveLeader was refused " + i + " times");
                }
            }
        }

        @Override
        void heal(Node leader) {}
    },
    KILL("crash: kill -9 of the leader") {
        @Override
        void inject(Cluster cluster, Node leader) throws InterruptedException {
            leader.program().kill();
        }

        @Override
        void heal(Node leader) throws IOException {
            leader.program().start();
        }
    },
    SIGSTOP("crash: SIGSTOP of the leader") {
        @Override
        void inject(Cluster cluster, Node leader) throws IOException, InterruptedException {
            leader.program().pause();
        }

        @Override
        void heal(Node leader) throws IOException, InterruptedException {
            leader.program().resume();
        }
    };

    private static final Duration MOVE_MAX = Duration.ofSeconds(10);
    private static final int MOVES_MAX = 3;

    private final String text;

    Disruption(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /** Makes the leader go. */
    abstract void inject(Cluster cluster, Node leader) throws IOException, InterruptedException;

    /** Brings it back, after another leads. */
    abstract void heal(Node leader) throws IOException, InterruptedException;
}
