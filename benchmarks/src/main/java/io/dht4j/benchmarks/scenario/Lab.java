package io.dht4j.benchmarks.scenario;

import io.dht4j.benchmarks.report.Measurement;
import java.nio.file.Path;

/** What a scenario is given to run with. For the scenario's own thread. */
public interface Lab extends Settings {

    /** Where the report's further files go: flame graphs, stacks. It exists. */
    Path directory();

    /** Where data goes that is deleted after the run. It exists. */
    Path scratch();

    /** Says how many steps are planned, for the time left. May be called again when that changes. */
    void plan(int steps);

    /** Says what is done now: one of the planned steps. */
    void step(String what);

    /**
     * Says how much is done of the step that was begun last.
     *
     * @param done so much
     * @param of all of it, in the same unit; more than 0
     */
    void within(long done, long of);

    /** Keeps a measurement; one with the same group and variant is replaced. */
    void add(Measurement measurement);

    /** Keeps something that a reader must know, in words. */
    void note(String text);

    /**
     * Shows a link in the report to a file that belongs to no single measurement, such as a differential flame graph.
     *
     * @param title what the file shows
     * @param file in the {@linkplain #directory() directory}
     * @throws IllegalArgumentException if it is not in the directory
     */
    void link(String title, Path file);
}
