package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * How the costs of variants are counted: at one rate for all of a group.
 *
 * @param rate in operations per second; empty for a part of the least stable load of the group
 * @param searchesEach whether every repetition searches for the stable load, instead of only the first
 * @param keepsProcesses whether the processes of all variants start once and stay, instead of once for each repetition
 * @param includesLoad whether the costs of a load in a process of its own are added to those of the nodes, instead of
 *     those of the nodes alone
 */
public record CostPlan(OptionalDouble rate, boolean searchesEach, boolean keepsProcesses, boolean includesLoad) {

    /** The rate of the short form. */
    private static final String QUICK_RATE = "2000";

    private static final String RATE = "rate";
    private static final String SEARCH = "search";
    private static final String SEARCHES = "searches";
    private static final String EACH = "each";
    private static final String ONCE = "once";
    private static final String PROCESSES = "processes";
    private static final String KEPT = "kept";
    private static final String NEW = "new";

    /** The parameters of the search for the stable load, those of {@link ServerPlan} included. */
    private static final List<String> OF_THE_SEARCH = List.of(SEARCHES, "first-rate", "greatest-rate", "precision");

    static List<Parameter> parameters() {
        return List.of(
                new Parameter(
                        RATE,
                        "operations per second offered to every variant while costs are counted, 1 to 1,000,000, which "
                                + "needs no search; or search, for 70 % of the least stable load of a group",
                        QUICK_RATE,
                        SEARCH),
                Parameter.of(SEARCHES, "when to search for the stable load: once, or each repetition", ONCE),
                new Parameter(
                        PROCESSES,
                        "of a repetition: new; or kept, where those of all variants start once and stay, which saves "
                                + "time and hides differences between processes; kept needs --rate",
                        KEPT,
                        NEW));
    }

    /**
     * Reads it.
     *
     * @param isClosedLoop whether no rate is offered, so that there is no search
     * @throws IllegalArgumentException if a parameter is invalid, or one without effect differs from its default
     */
    static CostPlan of(Settings settings, boolean isClosedLoop) {
        OptionalDouble rate = rate(settings);
        if (rate.isPresent() && !isClosedLoop) {
            settings.requireDefaults(OF_THE_SEARCH, "with a number as --rate, which needs no search");
        }
        boolean searchesEach = settings.one(SEARCHES, List.of(ONCE, EACH)).equals(EACH);
        boolean keepsProcesses = settings.one(PROCESSES, List.of(NEW, KEPT)).equals(KEPT);
        if (keepsProcesses && rate.isEmpty() && !isClosedLoop) {
            throw new IllegalArgumentException("--processes kept needs a number as --rate, since a search overloads "
                    + "a variant beside the others");
        }
        return new CostPlan(rate, searchesEach, keepsProcesses, false);
    }

    /** Returns the shared parameters that have no effect in a closed loop: those of rates, searches and profiles. */
    static List<String> parametersOfOpenLoops(Settings settings) {
        List<String> all = new ArrayList<>(OF_THE_SEARCH);
        all.addAll(List.of(RATE, "p99", ClientPlan.SEND_EVERY));
        // A closed loop takes none anyway.
        if (!settings.text(ServerPlan.PROFILES).strip().equals(ServerPlan.NONE)) {
            all.add(ServerPlan.PROFILES);
        }
        return all;
    }

    /** Returns a copy that adds the costs of the load. */
    CostPlan includingLoad() {
        return new CostPlan(rate, searchesEach, keepsProcesses, true);
    }

    /** Returns the processes whose costs are counted, for people. */
    String counted() {
        return includesLoad ? "the nodes and the load" : "the nodes";
    }

    /** Returns whether the rate is given, so that no stable load is searched for. */
    public static boolean isRateGiven(Settings settings) {
        return rate(settings).isPresent();
    }

    private static OptionalDouble rate(Settings settings) {
        return settings.text(RATE).strip().equals(SEARCH)
                ? OptionalDouble.empty()
                : OptionalDouble.of(settings.decimal(RATE, 1, 1_000_000));
    }
}
