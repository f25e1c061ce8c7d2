package io.dht4j.benchmarks.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import one.profiler.AsyncProfiler;
import org.jspecify.annotations.Nullable;

/** Profiles this process, by async-profiler. One profile at a time. Safe for use by any number of threads. */
public final class Profiler {

    private final Commands commands;
    private @Nullable ProfileEvent running;

    Profiler(Commands commands) {
        this.commands = commands;
    }

    /** Carries out async-profiler's commands. */
    @FunctionalInterface
    interface Commands {
        String execute(String command) throws IOException;
    }

    /**
     * The engine of a profile.
     *
     * @param engine the event's label, or the substitute for {@code cpu}
     * @param note a remark for readers; empty if the profile is as requested
     */
    public record Started(String engine, String note) {}

    /**
     * Loads the profiler's library.
     *
     * @return an idle profiler
     * @throws ProfilerException if it fails on this system
     */
    public static Profiler load() throws ProfilerException {
        try {
            AsyncProfiler profiler = AsyncProfiler.getInstance();
            return new Profiler(profiler::execute);
        } catch (IllegalStateException | UnsatisfiedLinkError e) {
            throw new ProfilerException("async-profiler does not run on this system: " + e.getMessage(), e);
        }
    }

    /**
     * Starts to profile every thread. If the kernel forbids the counters of {@link ProfileEvent#CPU}, timers replace
     * them.
     *
     * @param event the event to count
     * @return the engine that counts it
     * @throws ProfilerException if a profile is running, or no engine counts the event
     */
    public synchronized Started start(ProfileEvent event) throws ProfilerException {
        if (running != null) {
            throw new ProfilerException("a profile of " + running.label() + " is being taken");
        }
        List<String> refusals = new ArrayList<>();
        for (String engine : event.engines()) {
            Optional<String> refusal = tryEngine(engine, event);
            if (refusal.isEmpty()) {
                running = event;
                return new Started(engine, note(event, engine, refusals));
            }
            refusals.add(engine + ": " + refusal.get());
        }
        throw new ProfilerException("no profile of " + event.label() + " here: " + String.join("; ", refusals));
    }

    private Optional<String> tryEngine(String engine, ProfileEvent event) {
        try {
            commands.execute("start,event=" + engine + "," + event.option() + ",threads");
            return Optional.empty();
        } catch (IOException | IllegalStateException | IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static String note(ProfileEvent event, String engine, List<String> refusals) {
        return refusals.isEmpty()
                ? ""
                : event.label() + " is counted by " + engine + ", which sees no kernel frames and is less exact ("
                        + String.join("; ", refusals) + ")";
    }

    /**
     * Stops, and writes a line for each stack: frames from the thread's name to the leaf, separated by semicolons, and
     * the count in the event's unit.
     *
     * @param collapsed the file
     * @throws ProfilerException if no profile is running, or writing the file fails
     */
    public synchronized void stop(Path collapsed) throws ProfilerException {
        if (running == null) {
            throw new ProfilerException("no profile is being taken");
        }
        running = null;
        try {
            commands.execute("stop,file=" + collapsed.toAbsolutePath() + ",collapsed,total,ann");
        } catch (IOException | IllegalStateException | IllegalArgumentException e) {
            throw new ProfilerException("the profile was not written to " + collapsed + ": " + e.getMessage(), e);
        }
    }
}
