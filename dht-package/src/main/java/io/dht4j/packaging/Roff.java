package io.dht4j.packaging;

/** A text in the format of manual pages ({@code man(7)}). Not thread-safe. */
final class Roff {

    private final StringBuilder text = new StringBuilder();

    /** Adds a request, whose arguments are quoted and escaped. */
    Roff request(String name, String... arguments) {
        text.append('.').append(name);
        for (String argument : arguments) {
            text.append(" \"").append(escaped(argument).replace("\"", "\\(dq")).append('"');
        }
        text.append('\n');
        return this;
    }

    /** Adds a line of text, which is filled with its neighbours. */
    Roff line(String line) {
        return raw(escaped(line));
    }

    /** Adds lines that keep their breaks. */
    Roff verbatim(Iterable<String> lines) {
        request("RS", "4").request("nf");
        lines.forEach(this::line);
        return request("fi").request("RE");
    }

    /** Adds a line that has been escaped. */
    Roff raw(String line) {
        // A dot or an apostrophe at the beginning of a line would make it a request.
        text.append(line.startsWith(".") || line.startsWith("'") ? "\\&" : "")
                .append(line)
                .append('\n');
        return this;
    }

    /** Returns bold text. */
    static String bold(String word) {
        return "\\fB" + escaped(word) + "\\fR";
    }

    /** Returns text in italics, the form of placeholders. */
    static String italic(String word) {
        return "\\fI" + escaped(word) + "\\fR";
    }

    private static String escaped(String plain) {
        StringBuilder escaped = new StringBuilder();
        plain.codePoints().forEach(c -> {
            if (c == '\\') {
                escaped.append("\\e");
            } else if (c == '-') {
                escaped.append("\\-");
            } else if (c < 128) {
                escaped.append((char) c);
            } else {
                escaped.append(String.format("\\[u%04X]", c));
            }
        });
        return escaped.toString();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
