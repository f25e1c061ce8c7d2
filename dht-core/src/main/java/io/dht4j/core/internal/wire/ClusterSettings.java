package io.dht4j.core.internal.wire;

import io.dht4j.PrintableText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What must be equal on all nodes of a cluster, in words: the name and the value of each setting.
 *
 * @param values in the order in which they are told
 */
public record ClusterSettings(Map<String, String> values) {

    /** The name of the setting that only tells more than the others if these are equal. */
    public static final String TABLE = "table of partitions";

    /** How many settings a frame may bring. */
    static final int MAX_SETTINGS = 32;

    /** How many bytes a name or a value may have. */
    static final int MAX_TEXT_BYTES = 4096;

    /** Keeps a copy. */
    public ClusterSettings {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /**
     * A number for the headers of frames.
     *
     * @return equal for equal settings, and with all likelihood for no others
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
     * What differs.
     *
     * @param other the settings of another node
     * @param here whose these are
     * @param there whose the others are
     * @return for each setting that is not equal its name and both values, for people, control characters escaped
     */
    public String differences(ClusterSettings other, String here, String there) {
        Set<String> names = new LinkedHashSet<>(values.keySet());
        names.addAll(other.values.keySet());
        names.removeIf(name -> Objects.equals(values.get(name), other.values.get(name)));
        if (names.size() > 1) {
            names.remove(TABLE);
        }
        return names.stream()
                .map(name -> PrintableText.of(name + ": " + values.getOrDefault(name, "unknown") + " at " + here + ", "
                        + other.values.getOrDefault(name, "unknown") + " at " + there))
                .collect(Collectors.joining("; "));
    }
}
