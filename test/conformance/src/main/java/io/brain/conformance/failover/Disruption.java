package io.brain.conformance.failover;

import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import java.io.IOException;
import java.time.Duration;

/** The ways in which a leader goes. */
enum Disruption {
    SIGTERM("clean: SIGTERM of the leader") {
        @Override
        void strike(Cluster cluster, Node leader) throws InterruptedException {
            var unused = leader.program().terminate();
        }

        @Override
        void heal(Node leader) throws IOException {
            leader.program().start();
        }
    },
    MOVE_LEADER("clean: MoveLeader") {
        @Override
        void strike(Cluster cluster, Node leader) throws IOException {
            int next = (cluster.nodes().indexOf(leader) + 1) % cluster.nodes().size();
            if (!cluster.moveLeader(cluster.nodes().get(next), Duration.ofSeconds(10))) {
                throw new IOException("MoveLeader was refused");
            }
        }

        @Override
        void heal(Node leader) {}
    },
    KILL("crash: kill -9 of the leader") {
        @Override
        void strike(Cluster cluster, Node leader) throws InterruptedException {
            leader.program().kill();
        }

        @Override
        void heal(Node leader) throws IOException {
            leader.program().start();
        }
    },
    SIGSTOP("crash: SIGSTOP of the leader") {
        @Override
        void strike(Cluster cluster, Node leader) throws IOException, InterruptedException {
            leader.program().pause();
        }

        @Override
        void heal(Node leader) throws IOException, InterruptedException {
            leader.program().resume();
        }
    };

    private final String text;

    Disruption(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /** Makes the leader go. */
    abstract void strike(Cluster cluster, Node leader) throws IOException, InterruptedException;

    /** Brings it back, after another leads. */
    abstract void heal(Node leader) throws IOException, InterruptedException;
}
