package io.brain.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Links in the documents lead to files and headings that exist. */
class LinksTest {
    /** A link, or a definition of one, to anything but a URL. */
    private static final Pattern LINK =
            Pattern.compile("(?:\\]\\(|^\\[[^\\]]+\\]: )(?!\\w+:)([^)\\s]*)", Pattern.MULTILINE);

    private static final Pattern HEADING = Pattern.compile("^#+ +(.*)$", Pattern.MULTILINE);
    private static final Pattern CODE =
            Pattern.compile("^ *```.*?^ *```", Pattern.MULTILINE | Pattern.DOTALL);

    @Test
    void everyLinkHasATarget() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : Documents.pages()) {
            for (String link : targets(read(page))) {
                links++;
                String[] parts = link.split("#", 2);
                Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
                boolean isSound =
                        Files.exists(target)
                                && (parts.length == 1 || anchors(target).contains(parts[1]));
                if (!isSound) {
                    broken.add(Documents.ROOT.relativize(page) + ": " + link);
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(100);
    }

    @Test
    void linksAndAnchorsAreFound() {
        String page =
                "# Put and Get\n## `--flag` (new), it's\n## Put and get\n[a](b.md#c) [u](https://h)"
                        + " ![i](j.svg)\n[x]: y.md\n```\n[no](link)\n# no heading\n```\n";
        assertThat(targets(withoutCode(page))).containsExactly("b.md#c", "j.svg", "y.md");
        assertThat(anchorsOf(withoutCode(page)))
                .containsExactlyInAnyOrder("put-and-get", "--flag-new-its", "put-and-get-1");
    }

    private static String read(Path page) throws IOException {
        return withoutCode(Files.readString(page));
    }

    private static String withoutCode(String text) {
        return CODE.matcher(text).replaceAll("");
    }

    private static List<String> targets(String text) {
        return LINK.matcher(text).results().map(link -> link.group(1)).toList();
    }

    private static Set<String> anchors(Path page) throws IOException {
        return anchorsOf(read(page));
    }

    /** Anchors of the headings, as code hosts generate them; a repeated one gets a number. */
    private static Set<String> anchorsOf(String text) {
        List<String> anchors = new ArrayList<>();
        for (MatchResult heading : HEADING.matcher(text).results().collect(Collectors.toList())) {
            String anchor =
                    heading.group(1)
                            .toLowerCase(Locale.ROOT)
                            .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                            .replaceAll("[^\\p{L}\\p{N} _-]", "")
                            .replace(' ', '-');
            long same =
                    anchors.stream().filter(other -> other.matches(anchor + "(-\\d+)?")).count();
            anchors.add(same == 0 ? anchor : anchor + "-" + same);
        }
        return Set.copyOf(anchors);
    }
}
