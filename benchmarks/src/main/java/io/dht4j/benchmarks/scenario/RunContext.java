package io.dht4j.benchmarks.scenario;

import io.dht4j.benchmarks.results.Measurement;
import java.nio.file.Path;

/** The environment of a scenario. Confined to the scenario's thread. */
public interface RunContext extends Settings {

    /** Returns the existing directory of the report's further files: flame graphs, stacks. */
    Path directory();

    /** Returns the existing directory of data that is deleted after the run. */
    Path scratch();

    /** Sets the number of planned steps, for the estimate of the time left. May be called again. */
    void plan(int steps);

    /** Begins one of the planned steps. */
    void step(String what);

    /**
     * Reports the progress of the current step.
     *
     * @param done the finished part
     * @param of the whole, in the same unit; more than 0
     */
    void within(long done, long of);

    /** Adds a measurement, and replaces one with the same group and variant. */
    void add(Measurement measurement);

    /** Adds a note for readers, in words. */
    void note(String text);

    /** Adds a note that the command also prints at its end, for example about remaining data. */
    void announce(String text);

    /**
     * Sets the sentence that begins the answer, for a scenario whose question has bounds that its figures keep or miss.
     *
     * @param sentence with its full stop
     */
    void conclude(String sentence);

    /**
     * Adds a link to a file of no single measurement, such as a differential flame graph.
     *
     * @param title of the file
     * @param file in the {@linkplain #directory() directory}
     * @throws IllegalArgumentException if it is outside the directory
     */
    void link(String title, Path file);
}
