package io.brain.server.command;

import io.brain.server.config.CommandLineReader;
import io.brain.server.etcd.ClusterClient;
import io.brain.server.standby.Cutover;
import io.brain.server.standby.MigrationClient;
import io.brain.server.standby.Progress;
import io.brain.transfer.mirror.WayBack;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code brain migrate}: moves a cluster to its standby; with {@code --back}, keeps an etcd equal
 * to a running cluster, and moves to it.
 */
final class MigrateCommand extends TransferCommand {
    static final String NAME = "migrate";

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long ASK_NANOS = 100_000_000;
    private static final Duration STEP = Duration.ofMillis(200);
    private static final long CUTOVER_LAG_MAX = 100;
    private static final Duration CHECK_EVERY = Duration.ofMinutes(10);

    private static final String HELP =
            """
            Usage: brain migrate --endpoints URL [--cutover] [options]
                   brain migrate --back --from URL --to URL [--cutover] [options]

            Says how far a standby has followed its source (brain --standby-of). With --cutover it
            moves the cluster to the standby: compares the histories, holds writes, stops those of
            the source by the alarm CORRUPT, applies the last revision, and lets the standby serve.

            --back keeps an etcd equal to a running cluster of Brain or etcd: each revision of the source
            becomes the same revision of the target, by one transaction. The target was restored
            from a snapshot of the source (etcdctl snapshot save, etcdutl snapshot restore), and
            nobody else writes to it. Runs until it is stopped; the same command continues. Start
            it before the target, so that no lease of the snapshot ends there.

            Options
              --cutover                 when the target is near: stop the source's writes by the
                                        alarm CORRUPT, bring the last revision, compare, and end.
                                        The source stays without writes; if it fails, they go on
              --check-every TIME        compare the hashes of both, and compact the target like
                                        the source, so often, such as 1h; 0: never (default: 10m)
            """
                    + EndpointOptions.HELP
                    + EndpointOptions.PAIR_HELP
                    + """

                    Exit codes
                      0   stopped, or cut over
                      1   failed; a line says why
                      2   invalid command line
                    """;

    private final OptionSpec back = Parameters.flag("--back");
    private final OptionSpec cutover = Parameters.flag("--cutover");
    private final OptionSpec checkEvery =
            Parameters.option("--check-every", Duration.class).converters(Parameters::time).build();
    private final EndpointOptions standby = new EndpointOptions(spec());
    private final EndpointOptions from = EndpointOptions.named(spec(), "from");
    private final EndpointOptions to = EndpointOptions.named(spec(), "to");

    /** What was shown last; 0: nothing. */
    private long shown;

    private long shownLag;
    private long shownAt = System.nanoTime();

    MigrateCommand() {
        super(NAME, HELP);
        spec().addOption(back).addOption(cutover).addOption(checkEvery);
    }

    @Override
    int run(CommandLineReader.Tool flags) throws IOException, GeneralSecurityException {
        if (back.getValue() == null) {
            return toStandby();
        }
        interruptAtStop();
        try (ClusterClient source = from.open();
                ClusterClient target = to.open();
                WayBack way =
                        new WayBack(
                                source.cluster(),
                                source.channel(),
                                target.cluster(),
                                target.channel(),
                                listener())) {
            sayUsers(way);
            return cutover.getValue() == null ? follow(way) : cutOver(way);
        }
    }

    private int toStandby() throws IOException, GeneralSecurityException {
        standby.check();
        try (ClusterClient server = standby.open()) {
            var migration = new MigrationClient(standby.servers().toString(), server.channel());
            Progress progress = migration.progress();
            if (cutover.getValue() == null) {
                out().println(text(progress));
                return DONE;
            }
            while (progress.trouble() != null || progress.lag() > CUTOVER_LAG_MAX) {
                if (isStopped()) {
                    throw new IOException("stopped before the cutover; nothing was changed");
                }
                show(text(progress));
                pause();
                progress = migration.progress();
            }
            Cutover.Report done = migration.cutover();
            out().printf(
                            "moved at revision %d: hash %d, compact revision %d on both sides,"
                                    + " writes waited %d ms%n",
                            done.revision(), done.hash(), done.compactRevision(), done.gapMillis());
            out().println("the source refuses writes until: etcdctl alarm disarm");
            return DONE;
        }
    }

    private static String text(Progress progress) {
        String text = "revision %d, lag %d".formatted(progress.revision(), progress.lag());
        return progress.trouble() == null ? text : text + ", " + progress.trouble();
    }

    private static void pause() throws InterruptedIOException {
        try {
            Thread.sleep(STEP.toMillis());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    private void sayUsers(WayBack way) throws IOException {
        if (!way.hasUsersOfSource()) {
            String text = "users and roles of source and target differ";
            if (cutover.getValue() != null) {
                throw new IOException(text + ": seed the target again");
            }
            warn(text);
        }
    }

    private int follow(WayBack way) throws IOException {
        Duration every = checkEvery.getValue() == null ? CHECK_EVERY : checkEvery.getValue();
        long checked = System.nanoTime();
        try {
            while (!isStopped()) {
                var unused = way.step(STEP);
                show(way);
                if (!every.isZero() && System.nanoTime() - checked > every.toNanos()) {
                    way.verify();
                    checked = System.nanoTime();
                }
            }
        } catch (InterruptedIOException stopped) {
            if (!isStopped()) {
                throw stopped;
            }
        }
        out().println("stopped at revision " + way.revision());
        return DONE;
    }

    /** Shows how far the target is, once a second. */
    private void show(WayBack way) {
        long now = System.nanoTime();
        double seconds = (now - shownAt) / NANOS_PER_SECOND;
        if (seconds < 1) {
            return;
        }
        double rate = (way.revision() - shown) / seconds;
        double lag = shownLag;
        boolean first = shown == 0;
        shownAt = now;
        shown = way.revision();
        String text = "revision " + shown;
        try {
            shownLag = way.lag();
            text += ", lag " + shownLag;
            if (!first) {
                text += ", %.0f/s".formatted(rate);
                double gain = (lag - shownLag) / seconds;
                text += gain > 0 && shownLag > 0 ? ", %.0f s left".formatted(shownLag / gain) : "";
            }
        } catch (IOException unreachable) {
            text += ", " + unreachable.getMessage();
        }
        show(text);
    }

    private int cutOver(WayBack way) throws IOException {
        long asked = System.nanoTime();
        boolean near = false;
        while (!near) {
            if (isStopped()) {
                throw new IOException("stopped before the cutover; the source was not changed");
            }
            boolean more = way.step(STEP);
            show(way);
            if (!more || System.nanoTime() - asked > ASK_NANOS) {
                near = way.isNear();
                asked = System.nanoTime();
            }
        }
        WayBack.CutOver done = way.cutOver();
        out().printf(
                        "cut over at revision %d: hash %d on both sides, %d ms after the last"
                                + " write%n",
                        done.revision(), Integer.toUnsignedLong(done.hash()), done.millis());
        out().println("the source refuses writes until: etcdctl alarm disarm");
        return DONE;
    }
}
