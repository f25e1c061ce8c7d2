package io.dht4j.benchmarks.scenario.server;

import java.util.Collection;
import java.util.OptionalDouble;

/**
 * The rate for the comparison of the costs of a group's variants. An operation costs more where few of them share a
 * wake-up, a frame or a system call, so costs at different rates say little about the variants. Pure functions.
 */
final class CommonRate {

    /**
     * The part of the least stable load: far enough below it that a slower minute of the machine does not end the
     * comparison, and near enough that a node is as busy as it is in use.
     */
    static final double SHARE = 0.7;

    private CommonRate() {}

    /**
     * Chooses the rate.
     *
     * @param stableLoads of the group's variants, in operations per second; 0 for one without a stable load
     * @return a part of the least one, rounded down to two digits; empty if no variant has any
     */
    static OptionalDouble of(Collection<Double> stableLoads) {
        OptionalDouble least = stableLoads.stream()
                .mapToDouble(load -> load)
                .filter(load -> load > 0)
                .min();
        return least.isPresent() ? OptionalDouble.of(roundedDown(SHARE * least.getAsDouble())) : least;
    }

    private static double roundedDown(double rate) {
        double unit = Math.pow(10, Math.floor(Math.log10(rate)) - 1);
        return Math.floor(rate / unit * (1 + 1e-9)) * unit;
    }
}
