package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.server.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No source, method or package of any module is too large: the product's, and this module's. */
class SourceSizeTest {
    private static final int FILE_LINES_MAX = 350;
    private static final int METHOD_LINES_MAX = 60;
    private static final int PACKAGE_FILES_MAX = 25;

    private static final String MAIN = "src/main/java";

    /** The first line of a method or constructor, of a class of its own or a nested one. */
    private static final Pattern METHOD =
            Pattern.compile(
                    "^( {4}| {8})(?!.*\\b(class|record|enum|interface|new)\\b)[\\w<].*\\(.*");

    /** Lists of scenarios and calls are tables, and read like them. */
    private static final Pattern TABLE = Pattern.compile(".*List<(Scenario|Call)> \\w+\\(.*");

    @Test
    void noFileIsTooLong() throws IOException {
        for (Path source : sources()) {
            assertThat(Files.readAllLines(source))
                    .as(source.toString())
                    .hasSizeLessThanOrEqualTo(FILE_LINES_MAX);
        }
    }

    @Test
    void noPackageIsTooLarge() throws IOException {
        Map<Path, Long> packages =
                sources().stream()
                        .filter(source -> source.toString().contains(MAIN))
                        .collect(Collectors.groupingBy(Path::getParent, Collectors.counting()));
        assertThat(packages)
                .hasSizeGreaterThan(60)
                .allSatisfy(
                        (directory, count) ->
                                assertThat(count)
                                        .as("files in %s", directory)
                                        .isLessThanOrEqualTo(PACKAGE_FILES_MAX));
    }

    @Test
    void noMethodIsTooLong() throws IOException {
        List<String> tooLong = new ArrayList<>();
        int methods = 0;
        for (Path source : sources()) {
            for (Method method : methods(Files.readAllLines(source))) {
                methods++;
                if (method.lines() > METHOD_LINES_MAX) {
                    tooLong.add(source + ": " + method);
                }
            }
        }
        assertThat(tooLong).isEmpty();
        assertThat(methods).as("methods that were found").isGreaterThan(2_000);
    }

    @Test
    void aLongMethodIsFound() {
        List<String> source =
                new ArrayList<>(List.of("class A {", "    void f(", "            int a) {"));
        for (int i = 0; i < METHOD_LINES_MAX; i++) {
            source.add("        g();");
        }
        source.addAll(List.of("    }", "    void h() {", "    }", "}"));
        assertThat(methods(source)).extracting(Method::lines).containsExactly(63, 2);
    }

    private record Method(String head, int lines) {}

    private static List<Method> methods(List<String> lines) {
        List<Method> methods = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            var head = METHOD.matcher(lines.get(i));
            if (!head.matches() || TABLE.matcher(lines.get(i)).matches()) {
                continue;
            }
            String indent = head.group(1);
            int end = i;
            while (end < lines.size()
                    && !lines.get(end).equals(indent + "}")
                    && !isOver(lines, end, i, indent)) {
                end++;
            }
            if (end < lines.size() && lines.get(end).equals(indent + "}")) {
                methods.add(new Method(lines.get(i).strip(), end - i + 1));
            }
        }
        return methods;
    }

    /** True if the member ended without a body, or was a statement. */
    private static boolean isOver(List<String> lines, int at, int start, String indent) {
        String line = lines.get(at);
        boolean another = at > start && line.startsWith(indent) && !line.startsWith(indent + " ");
        boolean closing = line.startsWith(indent + ")");
        return line.length() > indent.length() && another && !closing;
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Repository.root())) {
            for (Path module : modules.sorted().toList()) {
                addAll(sources, module.resolve(MAIN));
            }
        }
        addAll(sources, Repository.root().resolve("test/conformance/src"));
        assertThat(sources).hasSizeGreaterThan(400);
        return sources;
    }

    private static void addAll(List<Path> sources, Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            files.filter(file -> file.toString().endsWith(".java")).sorted().forEach(sources::add);
        }
    }
}
