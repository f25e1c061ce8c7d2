package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Profile;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.CompilerWork;
import io.dht4j.lab.internal.load.LoadResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/** The results of a variant at an operation so far. Confined to one thread. */
final class VariantResults {

    private final String processes;
    private final List<Double> stableLoads = new ArrayList<>();
    private final List<Double> served = new ArrayList<>();
    private final Set<String> doubts = new LinkedHashSet<>();
    private final List<Profile> profiles = new ArrayList<>();
    private final Map<String, List<Double>> costs = new LinkedHashMap<>();
    private List<LoadLevel> levels = List.of();
    private List<LoadLevel> counted = List.of();
    private double costRate;
    private String unit = Measurement.PER_SECOND;
    private final CompilerWork compilers = new CompilerWork();

    /**
     * Creates an instance without results.
     *
     * @param processes the measured processes, such as {@code the nodes}
     */
    VariantResults(String processes) {
        this.processes = processes;
    }

    void doubt(String why) {
        doubts.add(why);
    }

    /** Adds the result of a search; 0 if no rate was stable. */
    void addStableLoad(double perSecond) {
        stableLoads.add(perSecond);
    }

    /** Returns the first stable load that was found; empty if there is none. */
    OptionalDouble stableLoad() {
        return stableLoads.stream()
                .mapToDouble(rate -> rate)
                .filter(rate -> rate > 0)
                .findFirst();
    }

    boolean hasLevels() {
        return !levels.isEmpty();
    }

    void setLevels(List<LoadLevel> found) {
        levels = found;
    }

    /** Adds the costs of an operation at an offered rate, and the load during the measurement. */
    void addCosts(double offered, LoadResult meanwhile, Map<String, Double> perOperation) {
        costRate = offered;
        served.add(meanwhile.servedPerSecond());
        if (counted.isEmpty()) {
            counted = List.of(new LoadLevel(LoadLevel.ALL, meanwhile));
        }
        perOperation.forEach((cost, value) ->
                costs.computeIfAbsent(cost, name -> new ArrayList<>()).add(value));
    }

    /** Returns a cost that was counted, of each repetition. */
    List<Double> costs(Cost cost) {
        return List.copyOf(costs.getOrDefault(cost.label(), List.of()));
    }

    /** Adds the served rate of a closed loop. */
    void addClosed(LoadResult result) {
        unit = Measurement.CLOSED_LOOP;
        served.add(result.servedPerSecond());
        if (counted.isEmpty()) {
            counted = List.of(new LoadLevel(LoadLevel.ALL, result));
        } else {
            doubts.addAll(result.conditions().doubts());
        }
    }

    /** Adds the processor time of the compilers during a load, and the length of the load. */
    void addCompilation(Counters spent, double seconds) {
        compilers.add(spent, seconds);
    }

    void addProfile(Profile profile) {
        profiles.add(profile);
    }

    /**
     * Returns them for the report. Without a search the values are the served rates, and the latency is that of the
     * first count at the offered rate.
     */
    Measurement measurement(String group, ServerVariant variant) {
        List<String> all = new ArrayList<>(doubts);
        compilers.doubt(processes).ifPresent(all::add);
        return new Measurement(
                        group,
                        variant.name(),
                        unit,
                        true,
                        stableLoads.isEmpty() ? served : stableLoads,
                        variant.shown(),
                        stableLoads.isEmpty() ? counted : levels,
                        costs,
                        profiles,
                        all)
                .countedAt(costRate);
    }
}
