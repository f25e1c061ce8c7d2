package io.dht4j.server.demo;

import java.util.ArrayList;
import java.util.List;

/** A data set that every JVM has: the characters of Unicode and their names. */
final class UnicodeNames {

    private UnicodeNames() {}

    /**
     * A character.
     *
     * @param codePoint 0 to 0x10FFFF
     * @param name as {@link Character#getName} gives it
     */
    record Named(int codePoint, String name) {

        /** Returns the key of the entry, {@code U+0041} for the letter A. */
        String key() {
            return UnicodeNames.key(codePoint);
        }
    }

    static String key(int codePoint) {
        return String.format("U+%04X", codePoint);
    }

    /**
     * Returns every assigned character, in order. Surrogates and private-use code points are left out: they have no
     * names.
     *
     * @return some 140,000 or more; the number grows with the JVM's version of Unicode
     */
    static List<Named> all() {
        List<Named> all = new ArrayList<>();
        for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
            int type = Character.getType(codePoint);
            String name = Character.getName(codePoint);
            if (name != null && type != Character.SURROGATE && type != Character.PRIVATE_USE) {
                all.add(new Named(codePoint, name));
            }
        }
        return all;
    }
}
