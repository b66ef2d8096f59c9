package io.brain.bbolt;

import java.io.IOException;

/**
 * The content of a file is not a valid bbolt database. The message is one line and names the page.
 * Any other {@link IOException} of this package is a failure of the disk.
 */
public final class BboltException extends IOException {
    private static final long serialVersionUID = 1L;

    BboltException(String place, String problem) {
        super(place + ": " + problem);
    }

    BboltException(long page, String problem) {
        this("page " + Long.toUnsignedString(page), problem);
    }
}
