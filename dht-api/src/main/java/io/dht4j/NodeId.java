package io.dht4j;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A node's name, unique within its cluster and stable over restarts.
 *
 * @param value 1 to 64 letters, digits, {@code .}, {@code _} and {@code -}, the first a letter or digit
 */
public record NodeId(String value) implements Comparable<NodeId> {

    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final int MAX_SHOWN = 255;

    /**
     * Checks the form.
     *
     * @throws IllegalArgumentException if the name has another form
     */
    public NodeId {
        Objects.requireNonNull(value, "value");
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "a node id is 1 to 64 letters, digits, '.', '_' or '-', the first a letter or digit, not \""
                            + PrintableText.of(value, MAX_SHOWN) + "\"");
        }
    }

    @Override
    public int compareTo(NodeId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
