package io.brain.bench;

import io.brain.bench.report.Json;
import io.brain.bench.report.Markdown;
import io.brain.bench.report.Results;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/**
 * Entry point. Prints a table to stdout and progress to stderr. Exit codes: 0 success, 1 some calls
 * or stretches failed, 2 invalid command line.
 */
public final class BrainBench {

    private BrainBench() {}

    /** Runs the benchmark. */
    public static void main(String[] args) throws IOException, InterruptedException {
        CommandLine commandLine = new CommandLine(Options.spec());
        try {
            CommandLine.ParseResult parsed = commandLine.parseArgs(args);
            if (commandLine.isUsageHelpRequested()) {
                commandLine.usage(System.out);
                return;
            }
            System.exit(run(Options.of(parsed), List.of(args)));
        } catch (CommandLine.ParameterException | IllegalArgumentException wrong) {
            System.err.println("brain-bench: " + wrong.getMessage() + "; see --help");
            System.exit(2);
        }
    }

    private static int run(Options options, List<String> args)
            throws IOException, InterruptedException {
        Run run = new Run(options, System.err);
        Results results = run.rounds();
        System.out.print(Markdown.of(results));
        if (options.json() != null) {
            Files.writeString(
                    options.json(), Json.of(results, about(args, options)), StandardCharsets.UTF_8);
        }
        return run.failures() == 0 ? 0 : 1;
    }

    private static Map<String, ?> about(List<String> args, Options options) {
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("arguments", args);
        about.put("seed", options.rounds().seed());
        about.put("time", Instant.now().toString());
        about.put("cores", Runtime.getRuntime().availableProcessors());
        about.put("system", System.getProperty("os.name") + ' ' + System.getProperty("os.version"));
        about.put("clientJava", Runtime.version().toString());
        return about;
    }
}
