package io.dht4j.benchmarks.scenario;

import io.dht4j.benchmarks.process.node.LabCustomizer;
import io.dht4j.lab.CandidateException;
import io.dht4j.lab.CandidateLoader;
import io.dht4j.lab.Candidates;
import io.dht4j.lab.TransportCandidate;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** The parameters with which users have classes of their own measured. */
public final class CandidateParameters {

    /** The jars of the classes. */
    public static final String WITH = LabCustomizer.WITH;

    /** A store for all nodes. */
    public static final String STORE_CLASS = LabCustomizer.STORE_CLASS;

    /** A placement for all nodes. */
    public static final String PLACEMENT_CLASS = LabCustomizer.PLACEMENT_CLASS;

    /** A hash function for all nodes. */
    public static final String HASH_CLASS = LabCustomizer.HASH_CLASS;

    /** The value of a parameter that is not given. */
    public static final String NONE = LabCustomizer.NONE;

    /** Transports that are measured beside the library's. */
    public static final String CLASS = LabCustomizer.TRANSPORT_CLASS;

    private CandidateParameters() {}

    /** Returns the parameter of the jars. */
    public static Parameter with() {
        return Parameter.of(
                WITH, "jars with classes of your own and what these need, separated by commas; or none", NONE);
    }

    /** Returns the parameter of transports, which are measured beside the library's. */
    public static Parameter transportClass() {
        return Parameter.of(
                CLASS,
                "transports of your own to measure too: classes that implement io.dht4j.lab.TransportCandidate,"
                        + " separated by commas; or none",
                NONE);
    }

    /** Returns the parameters of components that all nodes get. */
    public static List<Parameter> components() {
        return List.of(
                Parameter.of(
                        STORE_CLASS,
                        "a store of your own: a class that implements io.dht4j.lab.StoreCandidate; or none",
                        NONE),
                Parameter.of(
                        PLACEMENT_CLASS,
                        "a placement of your own: a class that implements io.dht4j.spi.Placement; or none",
                        NONE),
                Parameter.of(
                        HASH_CLASS,
                        "a hash function of your own: a class that implements io.dht4j.spi.HashFunction; or none",
                        NONE));
    }

    /**
     * Opens the jars.
     *
     * @param with the value of {@link #WITH}
     * @return a loader, which the caller closes after the last use of the classes
     * @throws CandidateException if a file is missing or is no jar
     */
    public static CandidateLoader loader(String with) {
        return CandidateLoader.of(names(with).stream().map(Path::of).toList());
    }

    /**
     * Returns the files of {@link #WITH}.
     *
     * @param settings of the run
     */
    public static List<String> jars(Settings settings) {
        return names(settings.text(WITH));
    }

    /**
     * Loads the transports.
     *
     * @param settings of the run
     * @param loader of its jars
     * @param builtIns the names of the library's transports
     * @return the transports of {@link #transportClass}; none by default
     * @throws IllegalArgumentException if a class is unfit, or a name is taken
     */
    public static List<TransportCandidate> transports(
            Settings settings, CandidateLoader loader, List<String> builtIns) {
        return asked(CLASS, () -> {
            List<TransportCandidate> candidates =
                    names(settings.text(CLASS)).stream().map(loader::transport).toList();
            Candidates.requireDistinctNames(builtIns, candidates);
            return candidates;
        });
    }

    /**
     * Loads the transports, and closes the jars again, for a scenario whose nodes are processes of their own.
     *
     * @param settings of the run
     * @param builtIns the names of the library's transports
     * @return the class of each transport by its name
     * @throws IllegalArgumentException if a jar or a class is unfit, or a name is taken
     */
    public static Map<String, String> transportClasses(Settings settings, List<String> builtIns) {
        Map<String, String> classes = new LinkedHashMap<>();
        try (CandidateLoader loader = asked(WITH, () -> loader(settings.text(WITH)))) {
            List<TransportCandidate> candidates = transports(settings, loader, builtIns);
            List<String> names = names(settings.text(CLASS));
            for (int i = 0; i < names.size(); i++) {
                classes.put(candidates.get(i).name(), names.get(i));
            }
        }
        return classes;
    }

    /**
     * Checks the value of a parameter that names a transport, by loading the class once.
     *
     * @param settings of the run
     * @param parameter the parameter
     * @param className its value, which is no name of the library's
     * @param builtIns the names of the library's transports
     * @throws IllegalArgumentException if a jar or the class is unfit
     */
    public static void checkTransport(Settings settings, String parameter, String className, List<String> builtIns) {
        try (CandidateLoader loader = asked(WITH, () -> loader(settings.text(WITH)))) {
            loader.transport(className);
        } catch (CandidateException e) {
            throw new IllegalArgumentException(
                    "--" + parameter + " must be one of " + String.join(", ", builtIns)
                            + ", or a class in the jars of --with, not '" + className + "': " + e.getMessage(),
                    e);
        }
    }

    /**
     * Loads the store of {@link #STORE_CLASS} for its name, as a variant beside the library's.
     *
     * @param settings of the run
     * @param builtIns the names of the library's stores
     * @return its name; empty if there is none
     * @throws IllegalArgumentException if a jar or the class is unfit, or the name is taken
     */
    public static Optional<String> storeName(Settings settings, List<String> builtIns) {
        return name(settings, STORE_CLASS, (loader, own) -> loader.store(own).name(), builtIns);
    }

    /**
     * Loads the placement of {@link #PLACEMENT_CLASS} for its name, as a variant beside the library's.
     *
     * @param settings of the run
     * @param builtIns the names of the library's placements
     * @return its name; empty if there is none
     * @throws IllegalArgumentException if a jar or the class is unfit, or the name is taken
     */
    public static Optional<String> placementName(Settings settings, List<String> builtIns) {
        return name(
                settings,
                PLACEMENT_CLASS,
                (loader, own) -> loader.placement(own).name(),
                builtIns);
    }

    private static Optional<String> name(
            Settings settings,
            String parameter,
            BiFunction<CandidateLoader, String, String> load,
            List<String> builtIns) {
        String className = settings.text(parameter);
        if (className.equals(NONE)) {
            return Optional.empty();
        }
        try (CandidateLoader loader = asked(WITH, () -> loader(settings.text(WITH)))) {
            String name = asked(parameter, () -> load.apply(loader, className));
            if (builtIns.contains(name)) {
                throw new IllegalArgumentException("--" + parameter + ": the name \"" + name + "\" of " + className
                        + " is that of a built-in variant; return another one from name()");
            }
            return Optional.of(name);
        }
    }

    /**
     * Checks the components of all nodes by loading them once.
     *
     * @param settings of the run
     * @return the values of the parameters that are given
     * @throws IllegalArgumentException if a jar or a class is unfit
     */
    public static Map<String, String> components(Settings settings) {
        Map<String, BiFunction<CandidateLoader, String, Object>> kinds = new LinkedHashMap<>();
        kinds.put(STORE_CLASS, CandidateLoader::store);
        kinds.put(PLACEMENT_CLASS, CandidateLoader::placement);
        kinds.put(HASH_CLASS, CandidateLoader::hash);
        Map<String, String> given = new LinkedHashMap<>();
        given.put(WITH, settings.text(WITH));
        try (CandidateLoader loader = asked(WITH, () -> loader(settings.text(WITH)))) {
            kinds.forEach((parameter, load) -> {
                String className = settings.text(parameter);
                if (!className.equals(NONE)) {
                    asked(parameter, () -> load.apply(loader, className));
                    given.put(parameter, className);
                }
            });
        }
        given.values().removeIf(NONE::equals);
        return given;
    }

    private static <T> T asked(String parameter, Supplier<T> asked) {
        try {
            return asked.get();
        } catch (CandidateException e) {
            throw new IllegalArgumentException("--" + parameter + ": " + e.getMessage(), e);
        }
    }

    private static List<String> names(String text) {
        return text.equals(NONE)
                ? List.of()
                : Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    }
}
