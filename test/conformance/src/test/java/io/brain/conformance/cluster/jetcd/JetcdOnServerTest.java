package io.brain.conformance.cluster.jetcd;

import io.brain.conformance.server.ServerCommand;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The same contract on the server under test. */
@Tag("peer")
class JetcdOnServerTest {

    @Nested
    class Kv extends JetcdKvContract {
        @Override
        ServerCommand command() {
            return ServerCommand.underTest();
        }
    }

    @Nested
    class Watch extends JetcdWatchContract {
        @Override
        ServerCommand command() {
            return ServerCommand.underTest();
        }
    }

    @Nested
    class Lease extends JetcdLeaseContract {
        @Override
        ServerCommand command() {
            return ServerCommand.underTest();
        }
    }

    @Nested
    class Users extends JetcdAuthContract {
        @Override
        ServerCommand command() {
            return ServerCommand.underTest().withFlags(FLAGS);
        }
    }

    @Nested
    class Concurrency extends JetcdConcurrencyContract {
        @Override
        ServerCommand command() {
            return ServerCommand.underTest();
        }
    }
}
