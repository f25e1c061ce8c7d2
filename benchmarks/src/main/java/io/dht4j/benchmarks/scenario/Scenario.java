package io.dht4j.benchmarks.scenario;

import io.dht4j.benchmarks.results.KeyFigure;
import java.util.List;

/** An experiment. It has no state, so one instance may run any number of times. */
public interface Scenario {

    /** Returns its name on the command line: lower case, one word. */
    String name();

    /** Returns its question. */
    String question();

    /** Returns the figure that answers its question. */
    KeyFigure keyFigure();

    /**
     * Returns the figure that answers its question in a run: another one if the settings leave that out.
     *
     * @param settings of the run
     */
    default KeyFigure keyFigure(Settings settings) {
        return keyFigure();
    }

    /** Returns its parameters, with defaults for the short and the full form. */
    List<Parameter> parameters();

    /**
     * Validates the parameters before the start by reading each of them. Quick, and without effect.
     *
     * @param settings of the run
     * @throws IllegalArgumentException if a value is invalid; the message names parameter, value and range
     */
    void check(Settings settings);

    /**
     * Returns warnings about the parameters, for example about a file with a secret that others may read. Quick.
     *
     * @param settings of the run, validated
     * @return a line for each; none unless overridden
     */
    default List<String> warnings(Settings settings) {
        return List.of();
    }

    /**
     * Returns the greatest needs of a run, which begins only if the machine meets them. Quick, and without effect.
     *
     * @param settings of the run, validated
     * @return disk and memory; 64 MiB of disk unless overridden
     */
    default Needs needs(Settings settings) {
        return Needs.LITTLE;
    }

    /**
     * Runs it, and reports each measurement to its context at once. Blocks.
     *
     * @param context its environment
     * @throws InterruptedException if the run is stopped; its processes are closed then
     * @throws Exception if it fails; the user sees the message
     */
    void run(RunContext context) throws Exception;
}
