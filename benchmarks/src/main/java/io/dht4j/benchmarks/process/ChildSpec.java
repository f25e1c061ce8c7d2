package io.dht4j.benchmarks.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How a child is started.
 *
 * @param name what messages call it; not empty
 * @param main its main class, which runs a {@link ChildService}
 * @param jvmFlags flags for its JVM, for example {@code -Xmx1g}
 * @param log a file that its log is appended to besides; empty for none
 * @param favoured whether the system's scheduler should prefer it to others, where there is a command {@code nice} and
 *     the user may
 */
public record ChildSpec(String name, Class<?> main, List<String> jvmFlags, Optional<Path> log, boolean favoured) {

    /** Checks, and keeps an unmodifiable copy. */
    public ChildSpec {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name of a child process: must not be empty");
        }
        jvmFlags = List.copyOf(jvmFlags);
    }

    /**
     * A child that the scheduler treats like all others.
     *
     * @param name what messages call it; not empty
     * @param main its main class
     * @param jvmFlags flags for its JVM
     * @param log a file that its log is appended to besides; empty for none
     */
    public ChildSpec(String name, Class<?> main, List<String> jvmFlags, Optional<Path> log) {
        this(name, main, jvmFlags, log, false);
    }

    /**
     * The same that the scheduler should prefer.
     *
     * @return a copy
     */
    public ChildSpec favouredByScheduler() {
        return new ChildSpec(name, main, jvmFlags, log, true);
    }

    /**
     * A child with these flags, whose log is not kept.
     *
     * @param name what messages call it
     * @param main its main class
     * @param jvmFlags flags for its JVM
     */
    public static ChildSpec of(String name, Class<?> main, String... jvmFlags) {
        return new ChildSpec(name, main, List.of(jvmFlags), Optional.empty());
    }
}
