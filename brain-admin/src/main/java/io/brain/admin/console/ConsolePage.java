package io.brain.admin.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * The console page.
 *
 * @param html the document
 * @param policy content security policy: only the inline script, the inline style sheet, and
 *     requests to the same server
 */
public record ConsolePage(String html, String policy) {
    private static final String RESOURCE = "console.html";

    /** Loads the page from the class path. */
    public static ConsolePage load() {
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
