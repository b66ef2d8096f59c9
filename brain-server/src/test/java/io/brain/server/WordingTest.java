package io.brain.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Sources and documents do not use words that were replaced; docs/glossary.md has the current ones.
 */
class WordingTest {
    /** Replaced class and method names, with the current ones. Matched exactly. */
    private static final Map<String, Pattern> NAMES =
            patterns(
                    0,
                    """
                    CensusTaker = WatcherSummary
                    ClusterLedger = ClientAnswers
                    DeafConnection = NonReadingConnection
                    DefiniteCommit = ResolvingCommit
                    Duel = ServerPair
                    Followership = Follower
                    Heard = RecordingListener
                    HubStream = ServerWatchStream
                    Lane = SimulatedExecutor
                    LeaderSighting = LeaderObservation
                    LeaderTails = EventStreams
                    LeaseCensus = LeaseSummary
                    LiveFeed = SyncedFeed
                    LiveKeys = KeyIterator
                    LockSweep = LockScanner
                    MergedKeys = MergeIterator
                    OtherFlags = IgnoredFlags
                    OverlaidKeys = OverlayIterator
                    Patience = Backoff
                    PdClock = TimestampOracle
                    ReadLanes = BudgetTiers
                    Rehearsal = WarmUp
                    RoundTrips = RttProbe
                    STRANGER = UNKNOWN_MEMBER
                    Sighting = RevisionObservation
                    SilenceHandler = DeadPeerDetector
                    SpanWalk = SpanScan
                    Tale = HistoryBuilder
                    TipRecord = HeadRecord
                    Truth = StoredHistory
                    TurnView = ReadView
                    WalkAhead = SpanPrefetcher
                    WatchCensus = WatcherSummary
                    WriteTurn = BufferedTxnContext
                    putUnnoted = putUnrecorded
                    standInLine = enqueue
                    struck = injected
                    tellCalls = publishAttributes
                    unnoted = unrecorded
                    wishful = requiresLeader
                    """);

    /** Replaced phrases, with better ones. Matched across lines, regardless of case. */
    private static final Map<String, Pattern> PHRASES =
            patterns(
                    Pattern.CASE_INSENSITIVE,
                    """
                    answers the exit code = returns the exit code
                    collections of garbage = GC pauses
                    gave up the ballast = released reserved disk space
                    goes on by itself = refreshes every 5 s
                    half in = p50
                    in arrears = backlog
                    Java machine = JVM
                    known and meant = intentional differences
                    must leave this much = minimum interval
                    needs no order to stop = a clean shutdown is not required
                    nothing known = empty
                    this is a defect = unexpected error
                    vouch for = verify
                    vouches for = verifies
                    """);

    @Test
    void noReplacedWordIsUsed() throws IOException {
        List<Path> files = files();
        assertThat(files).hasSizeGreaterThan(1000);
        List<String> found = new ArrayList<>();
        for (Path file : files) {
            for (String use : uses(Files.readString(file))) {
                found.add(Documents.ROOT.relativize(file) + ": " + use);
            }
        }
        assertThat(found).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "new PdClock(),PdClock = TimestampOracle",
        "PdClockTest,",
        "pdClock,",
        "'x \"a Java\"\n + \" machine\"',Java machine = JVM",
        "'/** Nobody vouches\n     * for it. */',vouches for = verifies"
    })
    void aWordIsFoundAsAWhole(String text, String use) {
        assertThat(uses(text)).isEqualTo(use == null ? List.of() : List.of(use));
    }

    private static List<String> uses(String text) {
        String words =
                text.replaceAll("\"\\s*\\+\\s*\"", "").replaceAll("\\s*\\n\\s*(\\*|//)?\\s*", " ");
        List<String> uses = new ArrayList<>();
        for (Map<String, Pattern> refused : List.of(NAMES, PHRASES)) {
            refused.forEach(
                    (entry, pattern) -> {
                        if (pattern.matcher(words).find()) {
                            uses.add(entry);
                        }
                    });
        }
        return uses;
    }

    /** Patterns by line, from lines {@code old = better}. */
    private static Map<String, Pattern> patterns(int flags, String lines) {
        Map<String, Pattern> patterns = new LinkedHashMap<>();
        Matcher line = Pattern.compile("(.+) = .+").matcher(lines);
        while (line.find()) {
            String whole = "(?<!\\w)" + Pattern.quote(line.group(1)) + "(?!\\w)";
            patterns.put(line.group(), Pattern.compile(whole, flags));
        }
        return patterns;
    }

    private static List<Path> files() throws IOException {
        return Documents.files("java", "md", "proto").stream()
                .filter(file -> !file.endsWith("WordingTest.java"))
                .toList();
    }
}
