package io.dht4j.benchmarks.process.node;

import io.dht4j.benchmarks.process.ChildRefusedException;
import io.dht4j.benchmarks.profile.Attribution;
import io.dht4j.benchmarks.profile.CollapsedStacks;
import io.dht4j.benchmarks.profile.FlameGraphs;
import io.dht4j.benchmarks.profile.ProfileEvent;
import io.dht4j.benchmarks.results.Profile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Profiles nodes under load, for a report. */
public final class Profiling {

    private Profiling() {}

    /** A load that runs during a profile. */
    @FunctionalInterface
    public interface Load {

        /**
         * Runs it. Blocks.
         *
         * @throws IOException if it fails
         * @throws InterruptedException if the thread is interrupted
         */
        void run() throws IOException, InterruptedException;
    }

    /**
     * A finished profile.
     *
     * @param seen the profile; empty if the system lets no node count it
     * @param notes remarks for readers; empty if the profile is as requested
     */
    public record Taken(Optional<Seen> seen, List<String> notes) {

        /** Keeps an unmodifiable copy. */
        public Taken {
            notes = List.copyOf(notes);
        }
    }

    /**
     * The recorded profile.
     *
     * @param profile for the report
     * @param stacks of all nodes together
     */
    public record Seen(Profile profile, CollapsedStacks stacks) {}

    /**
     * Profiles all nodes while a load runs. Writes {@code NAME.collapsed} and {@code NAME.html} for all nodes together,
     * and a flame graph of each node. If the system lets no node count the event, the load does not run, and a note
     * reports that.
     *
     * @param nodes to profile
     * @param event the event to count
     * @param directory of the report, which receives the files; it exists
     * @param name the prefix of the files' names
     * @param load runs during the profile
     * @return the profile
     * @throws IOException if a node has ended, the load fails, or writing a file fails
     * @throws InterruptedException if the thread is interrupted
     */
    public static Taken take(Nodes nodes, ProfileEvent event, Path directory, String name, Load load)
            throws IOException, InterruptedException {
        List<String> notes;
        try {
            notes = nodes.startProfile(event);
        } catch (ChildRefusedException e) {
            return new Taken(
                    Optional.empty(), List.of("there is no profile of " + event.label() + ": " + e.getMessage()));
        }
        try {
            load.run();
        } catch (IOException | InterruptedException | RuntimeException e) {
            stopAfter(e, nodes, directory, name);
            throw e;
        }
        CollapsedStacks stacks = nodes.stopProfile(directory, name);
        String collapsed = name + ".collapsed";
        String html = name + ".html";
        stacks.write(directory.resolve(collapsed));
        FlameGraphs.write(stacks, name + ", all nodes", directory.resolve(html));
        Profile profile = new Profile(
                event.label(), stacks.total(), Attribution.of(event, stacks).shares(), html, collapsed);
        return new Taken(Optional.of(new Seen(profile, stacks)), notes);
    }

    /** Leaves the nodes ready for another profile. The load's failure is the one to report. */
    private static void stopAfter(Exception failure, Nodes nodes, Path directory, String name)
            throws InterruptedException {
        try {
            nodes.stopProfile(directory, name);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }
}
