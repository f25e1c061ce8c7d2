package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.lab.internal.load.LoadSpec;
import java.util.List;

/**
 * The determinant of a load: a rate (an open loop), or a number of operations in flight (a closed loop).
 *
 * @param isClosed whether it is a closed loop
 * @param inFlight operations in flight in a closed loop
 */
public record LoopPlan(boolean isClosed, int inFlight) {

    private static final String LOOP = "loop";
    private static final String OPEN = "open";
    private static final String CLOSED = "closed";
    private static final String IN_FLIGHT = "in-flight";

    /** The bound of the standalone server's default. */
    private static final int MOST_IN_FLIGHT = 4096;

    /** Returns its parameters. */
    public static List<Parameter> parameters() {
        return List.of(
                Parameter.of(
                        LOOP,
                        "open: operations begin at a rate, whatever became of earlier ones; or closed: each follows "
                                + "the end of another, which measures the highest rate at --in-flight",
                        OPEN),
                Parameter.of(IN_FLIGHT, "operations in flight in a closed loop, to 4096", "64"));
    }

    /**
     * Reads them, for a scenario with the shared parameters of servers.
     *
     * @param least operations in flight: one for each thread that begins operations
     * @throws IllegalArgumentException if one is invalid, or one without effect differs from its default
     */
    public static LoopPlan of(Settings settings, int least) {
        return of(settings, least, CostPlan.parametersOfOpenLoops(settings));
    }

    /**
     * Reads them.
     *
     * @param least operations in flight: one for each thread that begins operations
     * @param ofOpenLoops the scenario's parameters without effect in a closed loop
     * @throws IllegalArgumentException if one is invalid, or one without effect differs from its default
     */
    public static LoopPlan of(Settings settings, int least, List<String> ofOpenLoops) {
        boolean isClosed = isClosed(settings);
        if (isClosed) {
            settings.requireDefaults(ofOpenLoops, "with --loop closed");
        } else {
            settings.requireDefaults(List.of(IN_FLIGHT), "without --loop closed");
        }
        return new LoopPlan(isClosed, (int) settings.number(IN_FLIGHT, isClosed ? least : 1, MOST_IN_FLIGHT));
    }

    static boolean isClosed(Settings settings) {
        return settings.one(LOOP, List.of(OPEN, CLOSED)).equals(CLOSED);
    }

    /** Returns a load as a closed loop. */
    public LoadSpec closed(LoadSpec load) {
        return load.at(0).withMaxInFlight(inFlight);
    }

    /** Adds a note about the figures of a closed loop. */
    public void note(RunContext context) {
        context.note("Closed loop: " + inFlight + " operations are in flight at all times. The operations/s are those "
                + "served. Latency counts from the begin of an operation; a slow answer delays the next one, and that "
                + "wait is in no latency (coordinated omission).");
    }
}
