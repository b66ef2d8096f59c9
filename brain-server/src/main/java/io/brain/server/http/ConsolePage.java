package io.brain.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * The console's page.
 *
 * @param html all of it
 * @param policy what a browser may do with it: run its one script, use its one style sheet, ask the
 *     server that it came from; nothing else
 */
record ConsolePage(String html, String policy) {
    private static final String RESOURCE = "console.html";

    /** Reads it from where the program is. */
    static ConsolePage load() {
        try (InputStream resource = ConsolePage.class.getResourceAsStream(RESOURCE)) {
            String html = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
            String policy =
                    "default-src 'none'; script-src "
                            + hash(html, "script")
                            + "; style-src "
                            + hash(html, "style")
                            + "; connect-src 'self'; img-src data:; base-uri 'none'; form-action"
                            + " 'none'; frame-ancestors 'none'";
            return new ConsolePage(html, policy);
        } catch (IOException | NoSuchAlgorithmException broken) {
            throw new UncheckedIOException(new IOException(RESOURCE, broken));
        }
    }

    private static String hash(String html, String element) throws NoSuchAlgorithmException {
        String open = "<" + element + ">";
        int from = html.indexOf(open) + open.length();
        String content = html.substring(from, html.indexOf("</" + element + ">", from));
        byte[] digest =
                MessageDigest.getInstance("SHA-256")
                        .digest(content.getBytes(StandardCharsets.UTF_8));
        return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    }
}
