package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.report.LoadLevel;
import io.dht4j.benchmarks.report.Measurement;
import io.dht4j.benchmarks.report.Profile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/** What is known of a variant at an operation so far. Confined to one thread. */
final class VariantResults {

    private final List<Double> stableLoads = new ArrayList<>();
    private final List<Double> served = new ArrayList<>();
    private final Set<String> doubts = new LinkedHashSet<>();
    private final List<Profile> profiles = new ArrayList<>();
    private final Map<String, List<Double>> costs = new LinkedHashMap<>();
    private List<LoadLevel> levels = List.of();
    private double costRate;

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

    /** Adds the costs of an operation at an offered rate, and the rate that was served. */
    void addCosts(double offered, double servedPerSecond, Map<String, Double> perOperation) {
        costRate = offered;
        served.add(servedPerSecond);
        perOperation.forEach((cost, value) ->
                costs.computeIfAbsent(cost, name -> new ArrayList<>()).add(value));
    }

    void addProfile(Profile profile) {
        profiles.add(profile);
    }

    /** Returns them for the report; the values are stable loads, or without a search what was served. */
    Measurement measurement(String group, ServerVariant variant) {
        return new Measurement(
                        group,
                        variant.name(),
                        Measurement.PER_SECOND,
                        true,
                        stableLoads.isEmpty() ? served : stableLoads,
                        variant.shown(),
                        levels,
                        costs,
                        profiles,
                        List.copyOf(doubts))
                .countedAt(costRate);
    }
}
