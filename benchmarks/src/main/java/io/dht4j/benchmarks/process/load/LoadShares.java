package io.dht4j.benchmarks.process.load;

import io.dht4j.lab.internal.load.Conditions;
import io.dht4j.lab.internal.load.Latency;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** Splits a load among processes, and merges their results. Pure functions. */
public final class LoadShares {

    /** The greatest number of names of errors in a result. */
    private static final int MOST_ERRORS = 20;

    private static final String OTHER = "other";

    private LoadShares() {}

    /**
     * Splits a load: each process offers an equal part of the rate to a part of the keys, with an equal part of the
     * bound in flight and a seed of its own.
     *
     * @param processes 1 to the number of keys
     */
    static List<LoadSpec> split(LoadSpec spec, int processes) {
        List<LoadSpec> parts = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            parts.add(part(spec, i, processes, share(spec.keys(), i, processes)));
        }
        return parts;
    }

    /** Returns the part of one of several processes, which is to use some of the keys. */
    public static LoadSpec part(LoadSpec spec, int process, int processes, long keys) {
        return new LoadSpec(
                spec.operation(),
                spec.perSecond() / processes,
                spec.warmUpSeconds(),
                spec.seconds(),
                keys,
                (int) Math.max(spec.threads(), share(spec.maxInFlight(), process, processes)),
                spec.threads(),
                spec.seed() * processes + process,
                spec.sendEveryMicros());
    }

    /** Returns the part of a number that a process gets; the parts differ by at most 1. */
    public static long share(long whole, int process, int processes) {
        return whole / processes + (process < whole % processes ? 1 : 0);
    }

    /**
     * Merges results. Counts and histograms are added, so percentiles are those of all operations. Of conditions the
     * worst counts, and every doubt stays, with the number of its process.
     *
     * @param spec the whole load
     * @param results of its parts, one or more
     * @return the result of the whole
     */
    public static LoadResult merge(LoadSpec spec, List<LoadResult> results) {
        if (results.size() == 1) {
            return withSpec(spec, results.get(0));
        }
        Histogram latency = Latency.emptyHistogram();
        results.forEach(result -> latency.add(result.latency().decode()));
        return new LoadResult(
                spec,
                results.stream().mapToDouble(LoadResult::tookSeconds).max().orElse(spec.seconds()),
                results.stream().mapToLong(LoadResult::offered).sum(),
                results.stream().mapToLong(LoadResult::served).sum(),
                results.stream().mapToLong(LoadResult::failed).sum(),
                results.stream().mapToLong(LoadResult::notSent).sum(),
                results.stream().mapToLong(LoadResult::absent).sum(),
                errors(results),
                Latency.of(latency),
                latencyByKind(results),
                conditions(results));
    }

    private static LoadResult withSpec(LoadSpec spec, LoadResult result) {
        return new LoadResult(
                spec,
                result.tookSeconds(),
                result.offered(),
                result.served(),
                result.failed(),
                result.notSent(),
                result.absent(),
                result.errors(),
                result.latency(),
                result.latencyByKind(),
                result.conditions());
    }

    private static Map<String, Latency> latencyByKind(List<LoadResult> results) {
        Map<String, Histogram> sums = new HashMap<>();
        results.forEach(result -> result.latencyByKind()
                .forEach((kind, latency) -> sums.computeIfAbsent(kind, first -> Latency.emptyHistogram())
                        .add(latency.decode())));
        return sums.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, sum -> Latency.of(sum.getValue())));
    }

    private static Conditions conditions(List<LoadResult> results) {
        List<Conditions> all = results.stream().map(LoadResult::conditions).toList();
        return new Conditions(
                all.stream().mapToDouble(Conditions::stolenPercent).max().orElse(-1),
                all.stream().mapToDouble(Conditions::gcMillis).max().orElse(0),
                all.stream().mapToDouble(Conditions::latenessP99Micros).max().orElse(0),
                doubts(all, Conditions::doubts),
                doubts(all, Conditions::latencyDoubts));
    }

    /** Returns the doubts of all processes, each with the number of its process. */
    private static List<String> doubts(List<Conditions> all, Function<Conditions, List<String>> kind) {
        List<String> doubts = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            String process = "load process " + (i + 1) + ": ";
            kind.apply(all.get(i)).forEach(doubt -> doubts.add(process + doubt));
        }
        return doubts;
    }

    /** Adds the counts by name; the rarest names beyond the bound are counted together. */
    private static Map<String, Long> errors(List<LoadResult> results) {
        Map<String, Long> all = new HashMap<>();
        results.forEach(result -> result.errors().forEach((name, count) -> all.merge(name, count, Long::sum)));
        if (all.size() <= MOST_ERRORS) {
            return all;
        }
        Map<String, Long> kept = new HashMap<>();
        List<String> names = all.keySet().stream()
                .sorted(Comparator.comparing((String name) -> name.equals(OTHER) ? 0L : -all.getOrDefault(name, 0L)))
                .toList();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            kept.merge(i < MOST_ERRORS - 1 ? name : OTHER, all.getOrDefault(name, 0L), Long::sum);
        }
        return kept;
    }
}
