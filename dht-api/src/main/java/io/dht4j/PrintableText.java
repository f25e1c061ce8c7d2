package io.dht4j;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Escapes untrusted text for terminals, logs and error messages. The result moves no cursor, changes no colour, begins
 * no line, reverses no direction of writing and has no invisible characters.
 *
 * <p>Escaped are the characters of the Unicode category C (control, format, surrogate, private use, unassigned) and the
 * separators of lines and paragraphs, U+2028 and U+2029. Line feed, carriage return and tabulator become {@code \n},
 * {@code \r} and {@code \t}, all others {@code \}{@code uXXXX}, twice that beyond U+FFFF, as in JSON and Java.
 * Backslashes are unchanged, so the escaping is irreversible.
 *
 * <p>Exceptions of this library escape their messages themselves. Does not block; safe for use by any number of
 * threads.
 */
public final class PrintableText {

    private static final HexFormat HEX = HexFormat.of();

    private PrintableText() {}

    /**
     * Escapes a text into one line.
     *
     * @param text any text; null is shown as {@code null}
     * @return the text itself if there is nothing to escape
     */
    public static String of(@Nullable Object text) {
        return escaped(String.valueOf(text), "");
    }

    /**
     * Escapes the beginning of a text into one line.
     *
     * @param text any text; null is shown as {@code null}
     * @param mostCharacters the largest number of UTF-16 characters of the text to show, 1 or more; {@code ...}
     *     replaces the rest
     * @return a line of at most six times as many characters plus three
     */
    public static String of(@Nullable Object text, int mostCharacters) {
        String all = String.valueOf(text);
        return all.length() <= mostCharacters ? of(all) : of(all.substring(0, mostCharacters)) + "...";
    }

    /**
     * Escapes a text that may have several lines, such as a stack trace. Line feeds, tabulators and carriage returns
     * before line feeds are unchanged.
     *
     * @param text any text
     * @return the text itself if there is nothing to escape
     */
    public static String lines(String text) {
        return escaped(text, "\n\t");
    }

    private static String escaped(String text, String kept) {
        int at = 0;
        while (at < text.length() && isLeft(text, at, kept)) {
            at += Character.charCount(text.codePointAt(at));
        }
        if (at == text.length()) {
            return text;
        }
        StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, at);
        while (at < text.length()) {
            int character = text.codePointAt(at);
            if (isLeft(text, at, kept)) {
                escaped.appendCodePoint(character);
            } else {
                escape(character, escaped);
            }
            at += Character.charCount(character);
        }
        return escaped.toString();
    }

    private static boolean isLeft(String text, int at, String kept) {
        int character = text.codePointAt(at);
        return isPrintable(character)
                || kept.indexOf(character) >= 0
                || (character == '\r' && !kept.isEmpty() && text.startsWith("\r\n", at));
    }

    private static boolean isPrintable(int character) {
        if (character >= ' ' && character < 0x7F) {
            return true;
        }
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    private static void escape(int character, StringBuilder into) {
        switch (character) {
            case '\n' -> into.append("\\n");
            case '\r' -> into.append("\\r");
            case '\t' -> into.append("\\t");
            default -> {
                for (char unit : Character.toChars(character)) {
                    into.append("\\u").append(HEX.toHexDigits(unit));
                }
            }
        }
    }
}
