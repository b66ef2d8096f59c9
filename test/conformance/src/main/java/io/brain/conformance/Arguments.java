package io.brain.conformance;

import java.util.List;
import java.util.Optional;

/**
 * What to compare.
 *
 * @param histories how many histories
 * @param length requests in each
 * @param seed of the first
 * @param cases numbers of the cases wanted, comma separated; empty for all, "none" for none
 * @param print whether to show agreeing transcripts
 */
record Arguments(int histories, int length, long seed, String cases, boolean print) {

    private static final Arguments DEFAULTS = new Arguments(80, 300, 1, "", false);

    /** Empty if there is an argument that does not exist, or a number that is none. */
    static Optional<Arguments> parse(List<String> args) {
        Arguments parsed = DEFAULTS;
        try {
            for (String arg : args) {
                parsed = parsed.with(arg);
            }
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        return Optional.of(parsed);
    }

    boolean wants(int number) {
        return cases.isEmpty() || List.of(cases.split(",")).contains(String.valueOf(number));
    }

    private Arguments with(String arg) {
        int split = arg.indexOf('=');
        String name = split < 0 ? arg : arg.substring(0, split);
        String value = split < 0 ? "" : arg.substring(split + 1);
        return switch (name) {
            case "--histories" ->
                    new Arguments(Integer.parseInt(value), length, seed, cases, print);
            case "--length" ->
                    new Arguments(histories, Integer.parseInt(value), seed, cases, print);
            case "--seed" -> new Arguments(histories, length, Long.parseLong(value), cases, print);
            case "--cases" -> new Arguments(histories, length, seed, value, print);
            case "--print" -> new Arguments(histories, length, seed, cases, true);
            default -> throw new IllegalArgumentException(arg);
        };
    }
}
