package io.brain.conformance.cluster.jetcd;

import io.brain.conformance.server.ServerCommand;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract holds on etcd itself: a test that fails here is wrong. */
@Tag("peer")
class JetcdOnEtcdTest {

    @Nested
    class Kv extends JetcdKvContract {
        @Override
        ServerCommand command() {
            return ServerCommand.etcd();
        }
    }

    @Nested
    class Watch extends JetcdWatchContract {
        @Override
        ServerCommand command() {
            return ServerCommand.etcd();
        }
    }

    @Nested
    class Lease extends JetcdLeaseContract {
        @Override
        ServerCommand command() {
            return ServerCommand.etcd();
        }
    }

    @Nested
    class Users extends JetcdAuthContract {
        @Override
        ServerCommand command() {
            return ServerCommand.etcd().withFlags(FLAGS);
        }
    }

    @Nested
    class Concurrency extends JetcdConcurrencyContract {
        @Override
        ServerCommand command() {
            return ServerCommand.etcd();
        }
    }
}
