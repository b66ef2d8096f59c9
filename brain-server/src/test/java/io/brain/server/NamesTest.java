package io.brain.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Types, members, packages and files that documents and Javadoc name as code exist in the sources.
 */
class NamesTest {
    /** Names of other programs and of examples that look like names of our types. */
    private static final Set<String> OTHERS =
            Set.of(
                    "ClusterMemberAttrSet", // etcd: label of a metric
                    "ClusterVersionSet", // etcd: label of a metric
                    "Containerfile",
                    "InitialCorruptCheck", // etcd: feature gate
                    "LeaseCheckpointPersist", // etcd: feature gate
                    "KvCheckTxnStatus", // TiKV: call
                    "LimitNOFILE", // systemd
                    "MyStorage", // example
                    "MyStorageFactory", // example
                    "MyStorageTest", // example
                    "NotifyAccess", // systemd
                    "TempDir", // JUnit
                    "TiSession", // TiKV's client
                    "TidbCluster", // Kubernetes: kind
                    "UpdateGCSafePoint"); // PD: call

    private static final Pattern TYPE =
            Pattern.compile("\\b(?:class|interface|record|enum|message|service|rpc) +([A-Z]\\w*)");

    /** Alerts have names like types. */
    private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)");

    /** A fenced block of a language that has names, or of another; or an inline code span. */
    private static final Pattern CODE =
            Pattern.compile(
                    "^ *```(?:java|text)\\b[^\\n]*\\n(?<block>.*?)^ *```"
                            + "|^ *```.*?^ *```|`(?<span>[^`]+)`",
                    Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern JAVADOC_CODE = Pattern.compile("\\{@code ([^}]+)}");

    /** A word with a hump, or a single capitalized word, with members or nested types. */
    private static final Pattern NAME =
            Pattern.compile(
                    "(?:(?<![\\w:+=*-])|(?<=-Dtest=))(?:[A-Z][a-z0-9]+[A-Z]\\w*|(?<=^)[A-Z][a-z]+(?=$|[.#]))"
                        + "(?:[.#]\\w+)*(?![\\w*])");

    /** A type, or several, with the last parts of their package. */
    private static final Pattern IN_PACKAGE =
            Pattern.compile(
                    "(?<![\\w/.*-])((?:[a-z]+[/.])+)(\\*?[A-Z]\\w*[a-z]\\w*\\*?)(?![\\w/])");

    private static final Pattern PACKAGE =
            Pattern.compile("(?<![\\w/.])io\\.brain(?:\\.[a-z]\\w*)*(?![\\w.])");

    private static final Pattern FILE =
            Pattern.compile(
                    "(?<![\\w/.-])(?:(?:test|docs|deploy|dist|proto|brain-[a-z]+|\\.ci)/[\\w./*-]*\\w)");

    /** The declaring sources of each type and call. */
    private static final Map<String, List<String>> DECLARED = new HashMap<>();

    private static final Set<String> SOURCES = new HashSet<>();
    private static final Set<String> PACKAGES = new HashSet<>();

    @BeforeAll
    static void readSources() throws IOException {
        for (Path source : Documents.files("java", "proto")) {
            String text = Files.readString(source);
            Matcher types = TYPE.matcher(text);
            while (types.find()) {
                DECLARED.computeIfAbsent(types.group(1), name -> new ArrayList<>()).add(text);
            }
            SOURCES.add(Documents.ROOT.relativize(source).toString());
            Matcher declared = Pattern.compile("^package ([\\w.]+);").matcher(text);
            for (String name = declared.find() ? declared.group(1) : ""; name.contains("."); ) {
                PACKAGES.add(name);
                name = name.substring(0, name.lastIndexOf('.'));
            }
        }
        Matcher alerts =
                ALERT.matcher(
                        Files.readString(Documents.ROOT.resolve("deploy/monitoring/alerts.yaml")));
        while (alerts.find()) {
            DECLARED.put(alerts.group(1), List.of());
        }
    }

    @Test
    void namesInDocumentsExist() throws IOException {
        List<String> unknown = new ArrayList<>();
        int codes = 0;
        for (Path page : Documents.pages()) {
            Matcher code = CODE.matcher(Files.readString(page));
            while (code.find()) {
                codes++;
                String block = code.group("block");
                String text = block != null ? block : code.group("span");
                if (text != null) {
                    addUnknown(page, text, unknown);
                }
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(codes).isGreaterThan(1000);
    }

    @Test
    void namesInJavadocExist() throws IOException {
        List<String> unknown = new ArrayList<>();
        int codes = 0;
        for (Path source : Documents.files("java")) {
            if (source.endsWith("NamesTest.java")) {
                continue;
            }
            String text = Files.readString(source).replaceAll("\\n\\s*\\* ?", " ");
            Matcher code = JAVADOC_CODE.matcher(text);
            while (code.find()) {
                codes++;
                addUnknown(source, code.group(1), unknown);
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(codes).isGreaterThan(300);
    }

    @Test
    void aNameThatDoesNotExistIsFound() throws IOException {
        List<String> unknown = new ArrayList<>();
        for (String text :
                List.of(
                        "NoSuchType",
                        "Nothing",
                        "Documents.noSuchMember()",
                        "config/NamesTest",
                        "config/*Nowhere",
                        "front.NamesTest",
                        "io.brain.nothing",
                        "-Dtest=NoSuchTest",
                        "test/no-such.sh")) {
            int before = unknown.size();
            addUnknown(Documents.ROOT, text, unknown);
            assertThat(unknown).as(text).hasSizeGreaterThan(before);
        }
        unknown.clear();
        for (String text :
                List.of(
                        "NamesTest",
                        "Node",
                        "NamesTest#readSources",
                        "-Dtest=NamesTest",
                        "server/NamesTest",
                        "server/*Test",
                        "io.brain.server",
                        "RangeRequest",
                        "test/*/README.md",
                        "test/conformance/.../Repository",
                        "Put it there")) {
            addUnknown(Documents.ROOT, text, unknown);
        }
        assertThat(unknown).isEmpty();
    }

    private static void addUnknown(Path page, String code, List<String> unknown)
            throws IOException {
        List<String> found = new ArrayList<>();
        Matcher names = NAME.matcher(code);
        while (names.find()) {
            if (!isName(names.group())) {
                found.add(names.group());
            }
        }
        Matcher types = IN_PACKAGE.matcher(code);
        while (types.find()) {
            String path = types.group(1).replace('.', '/') + types.group(2);
            if (SOURCES.stream().noneMatch(matcher("**/" + path + ".java"))
                    && !OTHERS.contains(types.group(2))) {
                found.add(types.group());
            }
        }
        Matcher packages = PACKAGE.matcher(code);
        while (packages.find()) {
            if (!PACKAGES.contains(packages.group())) {
                found.add(packages.group());
            }
        }
        Matcher files = FILE.matcher(code);
        while (files.find()) {
            if (!files.group().contains("target") && !isFile(files.group().replace("...", "**"))) {
                found.add(files.group());
            }
        }
        found.forEach(name -> unknown.add(Documents.ROOT.relativize(page) + ": " + name));
    }

    private static boolean isName(String name) {
        String[] parts = name.split("[.#]", -1);
        List<String> sources = DECLARED.get(parts[0]);
        if (sources == null) {
            return OTHERS.contains(parts[0]) || isOfJava(parts[0]);
        }
        for (int i = 1; i < parts.length; i++) {
            Pattern member = Pattern.compile("\\b" + parts[i] + "\\b");
            if (sources.stream().noneMatch(source -> member.matcher(source).find())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isOfJava(String name) {
        try {
            return Class.forName("java.lang." + name) != null;
        } catch (ClassNotFoundException unknown) {
            return false;
        }
    }

    private static boolean isFile(String name) throws IOException {
        if (SOURCES.stream().anyMatch(matcher(name + ".java"))) {
            return true;
        }
        if (!name.contains("*")) {
            return Files.exists(Documents.ROOT.resolve(name));
        }
        Path parent = Documents.ROOT.resolve(name.substring(0, name.indexOf('*'))).getParent();
        try (Stream<Path> files = Files.walk(parent)) {
            Predicate<String> pattern = matcher(name);
            return files.anyMatch(file -> pattern.test(Documents.ROOT.relativize(file).toString()));
        }
    }

    private static Predicate<String> matcher(String glob) {
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
        return path -> matcher.matches(Path.of(path));
    }
}
