package io.dht4j.server.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads the given texts of settings. An absent setting is read as its default. Each failure names the option, the error
 * and the allowed values. Immutable.
 */
final class SettingsReader {

    private final Map<Setting, String> texts;

    SettingsReader(Map<Setting, String> texts) {
        this.texts = texts.isEmpty() ? Map.of() : new EnumMap<>(texts);
    }

    /** Parses a text; an {@link IllegalArgumentException} has a message for the user. */
    @FunctionalInterface
    interface Parser<T> {
        T parse(String text);
    }

    /** Returns whether the setting was given. */
    boolean has(Setting setting) {
        return texts.containsKey(setting);
    }

    /** Reads the given text, or the default. */
    <T> T read(Setting setting, Parser<T> parser) throws ConfigException {
        return readOr(setting, text(setting), parser);
    }

    /** Reads the given text, or {@code fallback}. */
    <T> T readOr(Setting setting, String fallback, Parser<T> parser) throws ConfigException {
        try {
            return parser.parse(texts.getOrDefault(setting, fallback));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(setting.option() + ": " + e.getMessage());
        }
    }

    /** Reads the given text; empty without one. */
    <T> Optional<T> find(Setting setting, Parser<T> parser) throws ConfigException {
        return has(setting) ? Optional.of(readOr(setting, "", parser)) : Optional.empty();
    }

    /** Reads a constant of an enum, written in lower case and with dashes. */
    <E extends Enum<E>> E choice(Setting setting, Class<E> type) throws ConfigException {
        String text = text(setting);
        List<String> names = new ArrayList<>();
        for (E constant : type.getEnumConstants()) {
            String name = nameOf(constant);
            if (name.equals(text)) {
                return constant;
            }
            names.add(name);
        }
        throw new ConfigException(
                setting.option() + " must be " + String.join(" or ", names) + ", not \"" + text + "\"");
    }

    /** Reads a whole number of the setting's range. */
    int number(Setting setting) throws ConfigException {
        return number(setting, setting.range().orElseThrow());
    }

    /** Reads a whole number of another range. */
    int number(Setting setting, Setting.Range range) throws ConfigException {
        String text = text(setting);
        try {
            int number = Integer.parseInt(text);
            if (number >= range.min() && number <= range.max()) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Not a number at all, or far too large: the same message, which names the range.
        }
        throw new ConfigException(setting.option() + " must be a whole number" + unit(setting.label()) + " from "
                + range + ", not \"" + text + "\"");
    }

    private static String unit(String label) {
        return switch (label) {
            case "MILLIS" -> " of milliseconds";
            case "SECONDS" -> " of seconds";
            case "KIB" -> " of KiB per second";
            default -> "";
        };
    }

    /** Reads a whole number of the setting's range, if it was given. */
    OptionalInt findNumber(Setting setting) throws ConfigException {
        return has(setting) ? OptionalInt.of(number(setting)) : OptionalInt.empty();
    }

    /** Reads {@code on} or {@code off}. */
    boolean onOff(Setting setting) throws ConfigException {
        return choice(setting, OnOff.class) == OnOff.ON;
    }

    private enum OnOff {
        ON,
        OFF
    }

    /** Refuses a setting that would have no effect. */
    void refuse(Setting setting, String reason) throws ConfigException {
        if (has(setting)) {
            throw new ConfigException(setting.option() + " has no effect " + reason);
        }
    }

    /** Reads the path of a file or a directory. */
    static Path path(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the path is missing");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** Returns how a constant is written, for example {@code vertx-h2}. */
    static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private String text(Setting setting) {
        String given = texts.get(setting);
        return given == null ? fallback(setting) : given;
    }

    private static String fallback(Setting setting) {
        return setting.fallbackValue()
                .orElseThrow(() -> new IllegalStateException(setting + " has no default to read"));
    }
}
