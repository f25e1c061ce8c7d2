package io.dht4j.server.config;

import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The texts of settings, each with its source: the command line, a variable of the environment, or a file. Immutable.
 */
public final class GivenSettings {

    private static final GivenSettings NONE = new GivenSettings(Map.of());
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--([a-z]+(?:-[a-z]+)*)");

    private final Map<Setting, Given> given;

    /** The text of a setting; without a source, it is from the command line. */
    private record Given(String text, Optional<String> source) {}

    private GivenSettings(Map<Setting, Given> given) {
        this.given = given;
    }

    /**
     * Returns no settings.
     *
     * @return an empty instance
     */
    public static GivenSettings none() {
        return NONE;
    }

    /**
     * Returns these settings and those of a source, which win over these.
     *
     * @param texts the settings of the source
     * @param source the name of the source for each setting, for messages
     * @return a new instance
     */
    public GivenSettings overriddenBy(Map<Setting, String> texts, Function<Setting, String> source) {
        return overridden(texts, setting -> Optional.of(source.apply(setting)));
    }

    /**
     * Returns these settings and those of the command line, which win over these.
     *
     * @param texts the settings of the command line
     * @return a new instance
     */
    public GivenSettings overriddenByOptions(Map<Setting, String> texts) {
        return overridden(texts, setting -> Optional.empty());
    }

    private GivenSettings overridden(Map<Setting, String> texts, Function<Setting, Optional<String>> source) {
        Map<Setting, Given> all = new EnumMap<>(Setting.class);
        all.putAll(given);
        texts.forEach((setting, text) -> all.put(setting, new Given(text, source.apply(setting))));
        return new GivenSettings(all);
    }

    /**
     * Returns the texts.
     *
     * @return an unmodifiable map
     */
    public Map<Setting, String> texts() {
        return given.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, entry -> entry.getValue().text()));
    }

    /**
     * Adds to a message the sources of the options that it names, for a user who did not write them.
     *
     * @param message a message that names options
     * @return the message, unchanged if all its options come from the command line or were not given
     */
    public String explain(String message) {
        Set<Setting> named = new LinkedHashSet<>();
        Matcher option = OPTION.matcher(message);
        while (option.find()) {
            Setting.byPropertyName(option.group(1)).ifPresent(named::add);
        }
        String sources = named.stream()
                .flatMap(setting -> Optional.ofNullable(given.get(setting)).flatMap(Given::source).stream()
                        .map(source -> setting.option() + " was read from " + source))
                .collect(Collectors.joining(", "));
        return sources.isEmpty() ? message : message + " (" + sources + ")";
    }
}
