package io.brain.admin.check;

import io.brain.storage.Bytes;

/**
 * Something that is not as it must be.
 *
 * @param key the client's key that it is about; null if it is about none
 * @param revision of the key that is affected; 0 if it is not about one
 * @param what is wrong, in words
 */
public record Damage(Bytes key, long revision, String what) {
    /** One line, with the key in printable form. */
    @Override
    public String toString() {
        if (key == null) {
            return what;
        }
        String at = revision == 0 ? "" : " at revision " + revision;
        return "key \"" + key + "\"" + at + ": " + what;
    }
}
