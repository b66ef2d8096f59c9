package io.brain.conformance.linear.load;

import io.brain.conformance.members.Link;
import io.brain.conformance.members.Node;
import java.io.IOException;
import java.util.List;

/** What happens to a follower around a burst. Each is over when it returns. */
enum Disturbance {
    NOTHING {
        @Override
        void around(Bursts.Sender burst, Bursts bursts, Stage stage, Node follower)
                throws InterruptedException {
            burst.send();
        }
    },
    /** Its links are cut before the burst and open some time after it. */
    CUT_OFF {
        @Override
        void around(Bursts.Sender burst, Bursts bursts, Stage stage, Node follower)
                throws InterruptedException {
            List<Link> links = links(stage, follower);
            links.forEach(link -> link.set(Link.State.CUT));
            try {
                stage.hold(0, 2_500);
                burst.send();
                stage.hold(0, 1_000);
            } finally {
                links.forEach(link -> link.set(Link.State.OPEN));
            }
        }
    },
    /** It receives nothing during the burst and a compaction; then it is read all the time. */
    HELD {
        @Override
        void around(Bursts.Sender burst, Bursts bursts, Stage stage, Node follower)
                throws InterruptedException {
            List<Link> links = links(stage, follower);
            links.forEach(link -> link.set(Link.State.HELD));
            try {
                burst.send();
                bursts.compact();
            } finally {
                links.forEach(link -> link.set(Link.State.OPEN));
            }
            bursts.list(follower, 300);
        }
    },
    /**
     * An update of a large burst takes it most of a second, and the store is compacted meanwhile:
     * it is read all the time.
     */
    SLOWED {
        @Override
        void around(Bursts.Sender burst, Bursts bursts, Stage stage, Node follower)
                throws InterruptedException {
            int delay = PIECE_MILLIS_MIN + stage.upTo(PIECE_MILLIS_MIN);
            List<Link> links = links(stage, follower);
            links.forEach(link -> link.slow(delay));
            try {
                burst.send();
                bursts.compact();
                bursts.list(follower, 1_500);
            } finally {
                links.forEach(link -> link.set(Link.State.OPEN));
            }
        }
    },
    /** It starts, and the burst falls into its start. */
    START {
        @Override
        void around(Bursts.Sender burst, Bursts bursts, Stage stage, Node follower)
                throws IOException, InterruptedException {
            follower.program().kill();
            follower.program().start();
            stage.hold(0, 5_000);
            burst.send();
        }
    };

    /** An update of 1 MiB goes in some 16 pieces; a follower waits 1.5 s for one. */
    private static final int PIECE_MILLIS_MIN = 30;

    /** Sends the burst at the right moment. */
    abstract void around(Bursts.Sender burst, Bursts bursts, Stage stage, Node follower)
            throws IOException, InterruptedException;

    private static List<Link> links(Stage stage, Node follower) {
        return stage.cluster().network().of(follower.name()).stream()
                .filter(link -> link.name().matches("n\\d-n\\d"))
                .toList();
    }
}
