package io.brain.backend.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.TtlRules.Rule;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TtlRulesTest {
    private static final int PATHS = 10_000;
    private static final List<String> SEGMENTS =
            List.of("", "a", "b", "events", "eventsx", "x.events", "registry", "é", "$%", "*.");

    @ParameterizedTest
    @CsvSource({
        "/registry/events/**, /registry/events/default/pod.1, true",
        "/registry/events/**, /registry/events/default, true",
        "/registry/events/**, /registry/events/, false",
        "/registry/events/**, /registry/events, false",
        "/registry/events/**, /registry/eventsx/default, false",
        "/registry/events/**, /registry/configmaps/default/events, false",
        "/registry/events/**, /registry/configmaps/registry/events/a, false",
        "/registry/events/**, registry/events/default, false",
        "/registry/*/default, /registry/pods/default, true",
        "/registry/*/default, /registry//default, false",
        "/registry/*/default, /registry/pods/x/default, false",
        "/registry/*/default, /registry/pods/default/, false",
        "/a/, /a/, true",
        "/a/, /a, false",
        "a, a, true",
        "a, ab, false",
        "*, a, true",
        "*, a/b, false",
        "**, a/b, true",
        "a=b/**, a=b/c, true",
    })
    void aPatternMatchesWholeSegments(String pattern, String key, boolean matches) {
        TtlRules rules = TtlRules.parse(pattern + " = 1h");
        assertThat(rules.find(Bytes.utf8(key)) != null).isEqualTo(matches);
    }

    @Test
    void randomPathsMatchAsARegularExpressionOfTheirPattern() {
        Random random = new Random(39);
        int found = 0;
        for (int i = 0; i < PATHS; i++) {
            TtlRules rules = rules(random);
            String path = path(random, SEGMENTS);
            Rule expected = null;
            for (Rule rule : rules.rules()) {
                boolean matches = expression(rule.pattern()).matcher(path).matches();
                expected = expected == null && matches ? rule : expected;
            }
            assertThat(rules.find(Bytes.utf8(path))).as("%s of %s", path, rules).isSameAs(expected);
            found += expected == null ? 0 : 1;
        }
        assertThat(found).isBetween(PATHS / 10, PATHS * 9 / 10);
    }

    @Test
    void theFirstRuleCounts() {
        TtlRules rules = TtlRules.parse("# short first\n/a/b/** = 1m\n\n  /a/** = 1h30m  \n");
        assertThat(rules.find(Bytes.utf8("/a/b/c")).ttl()).isEqualTo(Duration.ofMinutes(1));
        assertThat(rules.find(Bytes.utf8("/a/c/b")).ttl()).isEqualTo(Duration.ofMinutes(90));
        assertThat(rules.ttls()).containsExactly(Duration.ofMinutes(1), Duration.ofMinutes(90));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/a/**|line 1: want PATTERN = TTL",
                "/a/** = soon|line 1: invalid duration \"soon\"",
                "/a/** = 999ms|line 1: the TTL must be from 1s to ten years",
                "/a/** = 87601h|line 1: the TTL must be from 1s to ten years",
                "= 1h|line 1: empty pattern",
                "/a/**/b = 1h|line 1: * must be a whole segment, and ** the last one: /a/**/b",
                "/pod-*/b = 1h|line 1: * must be a whole segment, and ** the last one: /pod-*/b",
            })
    void anInvalidLineIsNamed(String line, String message) {
        assertThatThrownBy(() -> TtlRules.parse(line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void thereIsOneRuleForAPatternAndAtMostAHundred() {
        assertThatThrownBy(() -> TtlRules.parse("/a = 1h\n/a = 2h"))
                .hasMessage("a pattern has two rules");
        String hundred =
                IntStream.range(0, 100)
                        .mapToObj(i -> "/" + i + " = 1h\n")
                        .reduce("", String::concat);
        assertThat(TtlRules.parse(hundred).rules()).hasSize(100);
        assertThatThrownBy(() -> TtlRules.parse(hundred + "/b = 1h"))
                .hasMessage("more than 100 rules");
    }

    private static TtlRules rules(Random random) {
        List<String> words = new ArrayList<>(SEGMENTS);
        words.remove("*.");
        words.addAll(List.of("*", "*", "*"));
        return TtlRules.parse(
                IntStream.range(0, 1 + random.nextInt(6))
                        .mapToObj(i -> path(random, words) + (random.nextBoolean() ? "/**" : ""))
                        .filter(pattern -> !pattern.isEmpty())
                        .distinct()
                        .map(pattern -> pattern + " = " + (1 + random.nextInt(9)) + "h")
                        .collect(Collectors.joining("\n")));
    }

    private static String path(Random random, List<String> words) {
        return IntStream.range(0, 1 + random.nextInt(4))
                .mapToObj(i -> words.get(random.nextInt(words.size())))
                .collect(Collectors.joining("/"));
    }

    private static Pattern expression(String pattern) {
        String text =
                Arrays.stream(pattern.split("/", -1))
                        .map(
                                segment ->
                                        switch (segment) {
                                            case "*" -> "[^/]+";
                                            case "**" -> ".+";
                                            default -> Pattern.quote(segment);
                                        })
                        .collect(Collectors.joining("/"));
        return Pattern.compile(text, Pattern.DOTALL);
    }
}
