package io.dht4j.server.demo;

import java.io.PrintStream;
import java.util.Locale;

/** The layout of the demo's text. */
final class Page {

    private static final int BAR_WIDTH = 40;

    private final PrintStream out;
    private final boolean inColour;
    private int section;

    Page(PrintStream out, boolean inColour) {
        this.out = out;
        this.inColour = inColour;
    }

    void section(String title) {
        section++;
        String heading = section + ". " + title;
        out.println();
        out.println(inColour ? "\u001b[1;36m" + heading + "\u001b[0m" : heading);
    }

    /** Writes a line of text, formatted for people: thousands are separated. */
    void say(String format, Object... arguments) {
        out.println((inColour ? "\u001b[K   " : "   ") + String.format(Locale.ROOT, format, arguments));
        out.flush();
    }

    /** Writes a line that the next one replaces, on a terminal only. */
    void passing(String format, Object... arguments) {
        if (inColour) {
            out.print("\r   " + String.format(Locale.ROOT, format, arguments) + "\u001b[K\r");
            out.flush();
        }
    }

    /** Writes a labelled bar, full from {@code max} on. */
    void bar(String label, long value, long max, String text) {
        int length = max == 0 ? 0 : (int) Math.round((double) Math.max(0, Math.min(value, max)) / max * BAR_WIDTH);
        String bar = "█".repeat(length);
        String coloured = inColour ? "\u001b[32m" + bar + "\u001b[0m" : bar;
        say("%s %s%s %s", label, coloured, " ".repeat(BAR_WIDTH - length), text);
    }
}
