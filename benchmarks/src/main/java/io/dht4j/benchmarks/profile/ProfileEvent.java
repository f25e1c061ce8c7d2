package io.dht4j.benchmarks.profile;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The event that a profile counts. */
public enum ProfileEvent {
    /** Processor time, in nanoseconds. */
    CPU("interval=1ms"),
    /** Allocated heap, in bytes. */
    ALLOC("alloc=128k"),
    /** Time spent waiting for a lock or monitor that another thread holds, in nanoseconds. */
    LOCK("lock=1us"),
    /** Wall-clock time of every thread, in nanoseconds. */
    WALL("interval=10ms");

    private final String option;

    ProfileEvent(String option) {
        this.option = option;
    }

    /**
     * Returns its name in reports and commands.
     *
     * @return for example {@code alloc}
     */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Finds an event by its label.
     *
     * @param label for example {@code alloc}
     * @return the event
     * @throws IllegalArgumentException if none has the label; the message lists all labels
     */
    public static ProfileEvent of(String label) {
        for (ProfileEvent event : values()) {
            if (event.label().equals(label)) {
                return event;
            }
        }
        throw new IllegalArgumentException("profile event: unknown \"" + label + "\"; the events are "
                + Arrays.stream(values()).map(ProfileEvent::label).toList());
    }

    /** Returns the engines that count it, the best first. */
    List<String> engines() {
        return this == CPU ? List.of("cpu-clock", "ctimer", "itimer") : List.of(label());
    }

    /** Returns the sampling interval. */
    String option() {
        return option;
    }
}
