package io.dht4j.core.internal.wire;

import io.dht4j.PrintableText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The settings that must be equal on all nodes of a cluster, by name.
 *
 * @param values the values by name, in the order in which they are reported
 */
public record ClusterSettings(Map<String, String> values) {

    /** The name of the setting that is reported only if all others are equal. */
    public static final String TABLE = "table of partitions";

    /** The separator of the elements of a value that is a list. */
    public static final String SEPARATOR = ", ";

    /** The maximum number of settings in a frame. */
    public static final int MAX_SETTINGS = 32;

    /** The maximum number of bytes of a name or a value. */
    public static final int MAX_TEXT_BYTES = 4096;

    /** Creates settings from a copy of the map. */
    public ClusterSettings {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /**
     * Returns a fingerprint for the headers of frames.
     *
     * @return equal for equal settings, and almost certainly different for others
     */
    public long fingerprint() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            values.forEach((name, value) -> {
                digest.update((name + '\n' + value + '\n').getBytes(StandardCharsets.UTF_8));
            });
            return ByteBuffer.wrap(digest.digest()).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Describes the differences.
     *
     * @param other the settings of another node
     * @param here the name of the owner of these settings
     * @param there the name of the owner of the others
     * @return the name and both values of each setting that differs, lists in parentheses, for people, control
     *     characters escaped
     */
    public String differences(ClusterSettings other, String here, String there) {
        Set<String> names = new LinkedHashSet<>(values.keySet());
        names.addAll(other.values.keySet());
        names.removeIf(name -> Objects.equals(values.get(name), other.values.get(name)));
        if (names.size() > 1) {
            names.remove(TABLE);
        }
        return names.stream()
                .map(name -> PrintableText.of(difference(
                        name,
                        values.getOrDefault(name, "unknown"),
                        other.values.getOrDefault(name, "unknown"),
                        here,
                        there)))
                .collect(Collectors.joining("; "));
    }

    private static String difference(String name, String own, String others, String here, String there) {
        boolean onlyOrder = !own.equals(others) && elements(own).equals(elements(others));
        return name + (onlyOrder ? " in another order: " : ": ") + grouped(own) + " at " + here + ", " + grouped(others)
                + " at " + there;
    }

    private static List<String> elements(String value) {
        return Arrays.stream(value.split(SEPARATOR, -1)).sorted().toList();
    }

    /** Returns a list in parentheses, so that it ends visibly, and any other value as it is. */
    private static String grouped(String value) {
        return value.contains(SEPARATOR) ? "(" + value + ")" : value;
    }
}
