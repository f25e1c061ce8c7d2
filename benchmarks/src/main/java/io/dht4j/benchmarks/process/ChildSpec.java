package io.dht4j.benchmarks.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Describes a child process.
 *
 * @param name used in messages; not empty
 * @param main its main class, which runs a {@link ChildService}
 * @param jvmFlags flags for its JVM, for example {@code -Xmx1g}
 * @param log a file to which its log is appended; empty for none
 * @param favoured whether the system's scheduler should prefer it, if a command {@code nice} exists and the user may
 */
public record ChildSpec(String name, Class<?> main, List<String> jvmFlags, Optional<Path> log, boolean favoured) {

    /** Validates, and keeps an unmodifiable copy. */
    public ChildSpec {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name of a child process: must not be empty");
        }
        jvmFlags = List.copyOf(jvmFlags);
    }

    /**
     * Describes a child of normal priority.
     *
     * @param name used in messages; not empty
     * @param main its main class
     * @param jvmFlags flags for its JVM
     * @param log a file to which its log is appended; empty for none
     */
    public ChildSpec(String name, Class<?> main, List<String> jvmFlags, Optional<Path> log) {
        this(name, main, jvmFlags, log, false);
    }

    /**
     * Returns a copy that the scheduler should prefer.
     *
     * @return a copy
     */
    public ChildSpec favouredByScheduler() {
        return new ChildSpec(name, main, jvmFlags, log, true);
    }

    /**
     * Describes a child with these flags and without a log file.
     *
     * @param name used in messages
     * @param main its main class
     * @param jvmFlags flags for its JVM
     */
    public static ChildSpec of(String name, Class<?> main, String... jvmFlags) {
        return new ChildSpec(name, main, List.of(jvmFlags), Optional.empty());
    }
}
