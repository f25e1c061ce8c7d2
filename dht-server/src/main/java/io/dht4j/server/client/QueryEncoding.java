package io.dht4j.server.client;

import io.dht4j.Key;
import java.util.Base64;

/** Percent-encoding (RFC 3986) of keys in the query of a URL. */
final class QueryEncoding {

    private QueryEncoding() {}

    /**
     * Returns the parameter that names a key.
     *
     * @param key any key
     * @return {@code id} with the key as text, or {@code id_base64} if it is none
     */
    static String id(Key key) {
        return key.isText()
                ? "id=" + encode(key)
                : "id_base64=" + Base64.getUrlEncoder().withoutPadding().encodeToString(key.unsafeBytes());
    }

    /**
     * Encodes bytes for the query of a URL.
     *
     * @param key any key
     * @return the unreserved characters as they are, all other bytes as {@code %XX}
     */
    static String encode(Key key) {
        StringBuilder text = new StringBuilder(key.length() * 3);
        for (byte b : key.unsafeBytes()) {
            boolean unreserved = (b >= 'a' && b <= 'z')
                    || (b >= 'A' && b <= 'Z')
                    || (b >= '0' && b <= '9')
                    || b == '-'
                    || b == '.'
                    || b == '_'
                    || b == '~';
            if (unreserved) {
                text.append((char) b);
            } else {
                text.append('%')
                        .append(Character.toUpperCase(Character.forDigit(b >> 4 & 0xF, 16)))
                        .append(Character.toUpperCase(Character.forDigit(b & 0xF, 16)));
            }
        }
        return text.toString();
    }
}
