package io.dht4j.core.internal.membership.plan;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/**
 * Computes the number of partitions that each member should have. The share of a member is proportional to its weight,
 * as far as zones allow it and no member exceeds all partitions.
 *
 * <p>A member is overfull above {@value #TOLERANCE} times its share, rounded up. A joining member is underfull below
 * its share divided by {@value #TOLERANCE}, rounded down. A serving member is underfull only far below its share, for
 * example after its weight was raised: placements scatter loads, and their tables should stay unchanged. Once a member
 * is underfull it takes slots like a joining one. Members are indexed by number. Immutable.
 */
final class LoadTargets {

    static final double TOLERANCE = 1.1;

    /** Slightly less, so that 1.1 * 10 does not become 12. */
    private static final double ROUNDING = 1e-6;

    /** A serving member is underfull below this part of its share, and by this many standard deviations. */
    private static final double FAR_BELOW = 0.7;

    private static final double DEVIATIONS = 4;

    private static final int NO_ZONE = -1;
    private static final int HALVINGS = 200;

    private final int[] takers;
    private final int[] zones;
    private final double[] shares;
    private final int[] least;
    private final int[] filled;
    private final int[] most;
    private final ZoneSpread spread;

    LoadTargets(ClusterState state) {
        List<Member> members = state.members().takers().toList();
        int size = state.members().size() + 1;
        takers = members.stream().mapToInt(Member::number).toArray();
        zones = new int[size];
        Arrays.fill(zones, NO_ZONE);
        double[] weights = new double[size];
        Map<String, Integer> zoneNumbers = new LinkedHashMap<>();
        for (Member member : members) {
            int zone = zoneNumbers.computeIfAbsent(member.details().zone(), name -> zoneNumbers.size());
            zones[member.number()] = zone;
            weights[member.number()] = member.details().weight();
        }
        int[] nodes = new int[zoneNumbers.size()];
        Arrays.stream(takers).forEach(number -> nodes[zones[number]]++);
        spread = new ZoneSpread(nodes, state.replicationFactor());
        shares = shares(weights, state.partitions(), nodes.length, state.replicationFactor());
        least = new int[size];
        filled = new int[size];
        most = new int[size];
        for (Member member : members) {
            int number = member.number();
            filled[number] = (int) Math.floor(shares[number] / TOLERANCE + ROUNDING);
            least[number] = member.lifecycle() == Lifecycle.JOINING ? filled[number] : farBelow(shares[number]);
            most[number] = (int) Math.min(state.partitions(), Math.ceil(shares[number] * TOLERANCE - ROUNDING));
        }
    }

    private static int farBelow(double share) {
        double scattered = share - DEVIATIONS * Math.sqrt(share);
        return (int) Math.max(0, Math.floor(Math.min(FAR_BELOW * share, scattered)));
    }

    private double[] shares(double[] weights, int partitions, int zoneCount, int replicas) {
        double[] zoneWeights = new double[zoneCount];
        Arrays.stream(takers).forEach(number -> zoneWeights[zones[number]] += weights[number]);
        double perWeight = solve((double) partitions * replicas, zoneWeights, level -> {
            double sum = 0;
            for (int zone = 0; zone < zoneCount; zone++) {
                sum += ofZone(zone, level * zoneWeights[zone], partitions);
            }
            return sum;
        });
        double[] result = new double[weights.length];
        for (int zone = 0; zone < zoneCount; zone++) {
            int here = zone;
            int[] members = Arrays.stream(takers)
                    .filter(number -> zones[number] == here)
                    .toArray();
            double[] own = Arrays.stream(members)
                    .mapToDouble(number -> weights[number])
                    .toArray();
            double share = ofZone(zone, perWeight * zoneWeights[zone], partitions);
            double level = solve(
                    share,
                    own,
                    candidate -> Arrays.stream(own)
                            .map(weight -> Math.min(partitions, candidate * weight))
                            .sum());
            for (int number : members) {
                result[number] = Math.min(partitions, level * weights[number]);
            }
        }
        return result;
    }

    private double ofZone(int zone, double wanted, int partitions) {
        return Math.max(
                (double) spread.least(zone) * partitions, Math.min((double) spread.most(zone) * partitions, wanted));
    }

    /** Returns the partitions per unit of weight for which a growing sum reaches a value, or its maximum. */
    private static double solve(double value, double[] weights, DoubleUnaryOperator sum) {
        double low = 0;
        double high = value / Arrays.stream(weights).min().orElse(1);
        for (int i = 0; i < HALVINGS && low < high; i++) {
            double middle = (low + high) / 2;
            if (sum.applyAsDouble(middle) < value) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    /** Returns the members that take slots, in the order of their numbers. */
    int[] takers() {
        return takers;
    }

    boolean takes(int member) {
        return zones[member] != NO_ZONE;
    }

    double share(int member) {
        return shares[member];
    }

    /** Returns the load below which a member is underfull. */
    int least(int member) {
        return least[member];
    }

    /** Returns the limit for members that take slots, and for those that give them. */
    int filled(int member) {
        return filled[member];
    }

    /** Returns the load above which a member is overfull. */
    int most(int member) {
        return most[member];
    }

    /** Returns whether a member is in a zone. A member that takes no slots is in none. */
    boolean isIn(int member, int zone) {
        return zones[member] == zone;
    }

    int zone(int member) {
        return zones[member];
    }

    int zoneCount() {
        return Arrays.stream(zones).max().orElse(NO_ZONE) + 1;
    }

    ZoneSpread spread() {
        return spread;
    }
}
