package io.brain.conformance.gateway;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An answer of a gateway in comparable form: code, headers that matter, and the body byte for byte
 * except for what differs between any two servers, and for what is masked by name.
 */
final class JsonAnswer {
    private static final List<String> HEADERS =
            List.of(
                    "content-type",
                    "grpc-metadata-content-type",
                    "location",
                    "allow",
                    "www-authenticate",
                    "x-content-type-options",
                    "access-control-allow-origin",
                    "access-control-allow-methods",
                    "access-control-allow-headers");

    /** Identities, raft's numbers, sizes, times left, hashes of files; addresses of members. */
    private static final Pattern MASKED =
            Pattern.compile(
                    "\"(cluster_id|member_id|raft_term|raftIndex|raftTerm|raftAppliedIndex|leader"
                            + "|dbSize|dbSizeInUse|dbSizeQuota)\":\"\\d+\"");

    /** Lease IDs that the server chose, which have many digits. */
    private static final Pattern CHOSEN = Pattern.compile("\"ID\":\"\\d{15,}\"(?!,\"name\")");

    private static final Pattern TIME_LEFT = Pattern.compile("\"TTL\":\"\\d+\",\"grantedTTL\"");
    private static final Pattern MEMBER =
            Pattern.compile("\"ID\":\"\\d{10,}\",\"name\":\"[^\"]*\",\"peerURLs\":.*?\\]");
    private static final Pattern URLS = Pattern.compile("\"clientURLs\":\\[[^\\]]*\\]");
    private static final Pattern HASH =
            Pattern.compile("^(\\{\"header\":\\{[^}]*\\},)\"hash\":\\d+.*");
    private static final Pattern LEASES = Pattern.compile(",\"leases\":\\[(.*)\\]");

    /** Texts of Go's JSON libraries, and Brain's texts for the same. */
    private static final Pattern SYNTAX =
            Pattern.compile(
                    "\"message\":\"(proto:|syntax error|invalid character|unexpected EOF"
                            + "|invalid binary header)(?:[^\"\\\\]|\\\\.)*\"");

    /** Fields of etcd 3.5's errors, which Brain has beside those of 3.7. */
    private static final Pattern OLDER =
            Pattern.compile(
                    ",\"error\":\"(?:[^\"\\\\]|\\\\.)*\"(?=\\}$)|,\"grpc_code\":\\d+"
                            + "|,\"http_code\":\\d+");

    private JsonAnswer() {}

    static String of(HttpResponse<byte[]> answer) {
        StringBuilder text = new StringBuilder().append(answer.statusCode()).append('\n');
        for (String name : HEADERS) {
            answer.headers().allValues(name).forEach(v -> text.append(name + ": " + v + "\n"));
        }
        String body = new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8);
        return text.append(masked(body)).toString();
    }

    static String masked(String body) {
        String text = withoutBlanks(body);
        text = MASKED.matcher(text).replaceAll("\"$1\":\"*\"");
        text = CHOSEN.matcher(text).replaceAll("\"ID\":\"*\"");
        text = TIME_LEFT.matcher(text).replaceAll("\"TTL\":\"*\",\"grantedTTL\"");
        text = MEMBER.matcher(text).replaceAll("\"member\":\"*\"");
        text = URLS.matcher(text).replaceAll("\"clientURLs\":\"*\"");
        text = HASH.matcher(text).replaceAll("$1\"hash\":*}");
        text = OLDER.matcher(text).replaceAll("");
        text = SYNTAX.matcher(text).replaceAll("\"message\":\"(malformed)\"");
        Matcher leases = LEASES.matcher(text);
        if (!leases.find()) {
            return text;
        }
        String known = sorted(leases.group(1));
        return leases.replaceFirst(known.isEmpty() ? "" : ",\"leases\":[" + known + "]");
    }

    private static String sorted(String list) {
        return Arrays.stream(list.split(",", -1))
                .filter(lease -> !lease.contains("*"))
                .sorted()
                .collect(Collectors.joining(","));
    }

    /** Go's encoder puts blanks between values in some builds and not in others. */
    private static String withoutBlanks(String json) {
        StringBuilder text = new StringBuilder();
        boolean inString = false;
        boolean escaped = false;
        for (int i = 0; i < json.length(); i++) {
            char next = json.charAt(i);
            if (inString) {
                inString = escaped || next != '"';
                escaped = !escaped && next == '\\';
            } else if (next == '"') {
                inString = true;
            } else if (next == ' ' && text.length() > 0 && text.charAt(text.length() - 1) == ',') {
                continue;
            }
            text.append(next);
        }
        return text.toString();
    }

    /** The events and other results of a stream's lines, without the number of the lines. */
    static List<String> lines(String body) {
        List<String> lines = new ArrayList<>();
        for (String line : body.split("\n", -1)) {
            if (!line.isEmpty()) {
                lines.add(masked(line));
            }
        }
        return lines;
    }
}
