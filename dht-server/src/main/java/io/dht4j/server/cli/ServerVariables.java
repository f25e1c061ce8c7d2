package io.dht4j.server.cli;

import io.dht4j.server.config.ConfigException;
import io.dht4j.server.config.Setting;
import io.dht4j.server.config.SimilarWords;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * The environment variables of {@code dht server}: one for each setting, as in {@code DHT_REPLICATION_FACTOR}, and two
 * of the command itself. An empty variable counts as absent.
 *
 * @param settings the texts of settings
 * @param config the properties file, in place of {@code --config}
 * @param verbose whether to log the node's activity, as {@code --verbose} does
 */
record ServerVariables(Map<Setting, String> settings, Optional<Path> config, boolean verbose) {

    /** The variable of {@code --config}. */
    static final String CONFIG = Setting.VARIABLE_PREFIX + "CONFIG";

    /** The variable of {@code --verbose}. */
    static final String VERBOSE = Setting.VARIABLE_PREFIX + "VERBOSE";

    private static final String REBUILD = Setting.VARIABLE_PREFIX + "REBUILD";

    /** Variables of the launcher and of the commands that call a node. */
    private static final Set<String> OF_OTHERS = Set.of("DHT_NODE", "DHT_TOKEN", "DHT_JAVA_OPTS", "DHT_STARTUP_CACHE");

    /** Kubernetes sets these in every container for a service whose name begins with {@code dht}. */
    private static final Pattern SERVICE_LINK =
            Pattern.compile("DHT_(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\\d+_[A-Z]+(_(PROTO|PORT|ADDR))?)?)");

    ServerVariables {
        settings = Map.copyOf(settings);
    }

    /**
     * Reads the variables. A name that resembles one of the server's is refused: the server must not run without
     * {@code DHT_TOKENS} because of a typing error. Any other unknown name is reported.
     *
     * @param environment the environment of the process
     * @param warnings takes a line for each name that has no effect
     * @throws ConfigException if a variable is refused; names it
     */
    static ServerVariables of(Map<String, String> environment, Consumer<String> warnings) throws ConfigException {
        Map<String, Setting> names = new TreeMap<>();
        for (Setting setting : Setting.values()) {
            names.put(setting.variable(), setting);
        }
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
            String name = variable.getKey();
            String text = variable.getValue().strip();
            if (!name.startsWith(Setting.VARIABLE_PREFIX) || text.isEmpty()) {
                continue;
            }
            refuse(name);
            Setting setting = names.get(name);
            if (setting != null) {
                settings.put(setting, text);
            } else if (!isKnown(name)) {
                refuseSimilar(name, names.keySet());
                warnings.accept(name + " is not a variable of the server and has no effect");
            }
        }
        return new ServerVariables(settings, config(environment), verbose(environment));
    }

    private static boolean isKnown(String name) {
        return name.equals(CONFIG)
                || name.equals(VERBOSE)
                || OF_OTHERS.contains(name)
                || SERVICE_LINK.matcher(name).matches();
    }

    private static void refuse(String name) throws ConfigException {
        if (name.equals(Setting.HASH_KEY.variable())) {
            throw new ConfigException(name + " is refused, because a supervisor shows the environment of its processes;"
                    + " use " + Setting.HASH_KEY_FILE.variable());
        }
        if (name.equals(REBUILD)) {
            throw new ConfigException(name + " is refused, because each restart would move the files away again; give"
                    + " --rebuild on the command line, once");
        }
    }

    private static void refuseSimilar(String name, Set<String> settings) throws ConfigException {
        List<String> known = new ArrayList<>(List.of(bare(CONFIG), bare(VERBOSE)));
        settings.forEach(setting -> known.add(bare(setting)));
        Optional<String> suggestion = SimilarWords.suggestion(bare(name), known, Setting.VARIABLE_PREFIX);
        if (suggestion.isPresent()) {
            throw new ConfigException(name + " is not a variable of the server. " + suggestion.get());
        }
    }

    private static String bare(String name) {
        return name.substring(Setting.VARIABLE_PREFIX.length());
    }

    private static Optional<Path> config(Map<String, String> environment) throws ConfigException {
        String text = environment.getOrDefault(CONFIG, "").strip();
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
        } catch (InvalidPathException e) {
            throw new ConfigException(CONFIG + ": " + e.getMessage());
        }
    }

    private static boolean verbose(Map<String, String> environment) throws ConfigException {
        String text = environment.getOrDefault(VERBOSE, "").strip();
        return switch (text) {
            case "on" -> true;
            case "", "off" -> false;
            default -> throw new ConfigException(VERBOSE + " must be on or off, not \"" + text + "\"");
        };
    }
}
