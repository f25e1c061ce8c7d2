package io.dht4j.transport.http.internal.common;

import io.dht4j.PrintableText;

/** Text that clients and peers send. */
public final class HttpText {

    /** The number of characters of a client's text that a message shows. */
    private static final int SHOWN_CHARACTERS = 64;

    private HttpText() {}

    /** Returns the beginning of a client's text, for a message. */
    public static String shown(String text) {
        return PrintableText.of(text, SHOWN_CHARACTERS);
    }

    /** Returns whether a text has ASCII digits only. */
    // A stream would be shorter; it was some 4 % of a node's allocation for a put.
    public static boolean allDigits(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }
}
