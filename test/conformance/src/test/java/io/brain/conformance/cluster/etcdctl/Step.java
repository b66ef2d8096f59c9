package io.brain.conformance.cluster.etcdctl;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One step of a script.
 *
 * @param line where it stands in the script, from 1
 * @param text as it stands there
 * @param kind what to do
 * @param name of the background command; empty for RUN
 * @param words the command's; empty for AWAIT and STOP
 * @param lines how many to wait for; 0 where nothing is waited for
 * @param input the command's standard input
 */
record Step(
        int line,
        String text,
        Kind kind,
        String name,
        List<String> words,
        int lines,
        String input) {

    enum Kind {
        RUN,
        /** As RUN; what the two servers answer is meant to differ. */
        DEVIATE,
        START,
        AWAIT,
        STOP
    }

    /** True if the command ends by itself. */
    boolean isForeground() {
        return kind == Kind.RUN || kind == Kind.DEVIATE;
    }

    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

    /** Reads a script; everything that is no step or input is a remark. */
    static List<Step> parse(List<String> script) {
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < script.size(); i++) {
            String text = script.get(i);
            StringBuilder input = new StringBuilder();
            int next = i + 1;
            while (next < script.size() && script.get(next).startsWith("<")) {
                input.append(script.get(next++).substring(1).stripLeading()).append('\n');
            }
            if (!text.isEmpty() && "$!&~=".indexOf(text.charAt(0)) >= 0) {
                steps.add(parse(i + 1, text, input.toString()));
            }
        }
        return List.copyOf(steps);
    }

    private static Step parse(int line, String text, String input) {
        List<String> words = words(text.substring(1));
        return switch (text.charAt(0)) {
            case '$' -> new Step(line, text, Kind.RUN, "", words, 0, input);
            case '!' -> new Step(line, text, Kind.DEVIATE, "", words, 0, input);
            case '&' ->
                    new Step(
                            line,
                            text,
                            Kind.START,
                            words.get(0),
                            words.subList(1, words.size()),
                            0,
                            input);
            default -> {
                Kind kind = text.charAt(0) == '~' ? Kind.AWAIT : Kind.STOP;
                int lines = Integer.parseInt(words.get(1));
                yield new Step(line, text, kind, words.get(0), List.of(), lines, "");
            }
        };
    }

    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        Matcher m = WORD.matcher(text);
        while (m.find()) {
            words.add(
                    m.group(1) != null ? m.group(1) : m.group(2) != null ? m.group(2) : m.group());
        }
        return words;
    }
}
