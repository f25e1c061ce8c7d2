package io.dht4j.benchmarks.profile;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a profile counts. */
public enum ProfileEvent {
    /** Processor time, in nanoseconds. */
    CPU("interval=1ms"),
    /** Heap that was allocated, in bytes. */
    ALLOC("alloc=128k"),
    /** Time spent waiting for a lock or monitor that another thread holds, in nanoseconds. */
    LOCK("lock=1us"),
    /** Time, of every thread alike, whatever it does or waits for, in nanoseconds. */
    WALL("interval=10ms");

    private final String option;

    ProfileEvent(String option) {
        this.option = option;
    }

    /**
     * Its name in reports and commands.
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
     * @throws IllegalArgumentException if there is none; the message lists those that there are
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

    /** What counts it, the best first. */
    List<String> engines() {
        return this == CPU ? List.of("cpu-clock", "ctimer", "itimer") : List.of(label());
    }

    /** How often to look. */
    String option() {
        return option;
    }
}
