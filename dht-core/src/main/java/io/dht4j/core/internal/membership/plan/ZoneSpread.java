package io.dht4j.core.internal.membership.plan;

import java.util.Arrays;

/**
 * Computes the number of replicas of a partition in each zone: at most one if there are as many zones as replicas or
 * more, otherwise as evenly as the numbers of nodes allow. A zone with too few nodes has a replica on each of them, and
 * the other zones share the rest.
 */
final class ZoneSpread {

    private final int[] least;
    private final int[] most;

    /**
     * Computes the numbers.
     *
     * @param nodes the number of nodes of each zone, 1 or more
     * @param replicas the number of replicas
     */
    ZoneSpread(int[] nodes, int replicas) {
        least = new int[nodes.length];
        most = new int[nodes.length];
        Arrays.fill(most, -1);
        int left = replicas;
        int open = nodes.length;
        boolean filled = true;
        while (filled) {
            filled = false;
            int level = open == 0 ? 0 : left / open;
            for (int zone = 0; zone < nodes.length; zone++) {
                if (most[zone] < 0 && nodes[zone] <= level) {
                    least[zone] = nodes[zone];
                    most[zone] = nodes[zone];
                    left -= nodes[zone];
                    open--;
                    filled = true;
                }
            }
        }
        for (int zone = 0; zone < nodes.length; zone++) {
            if (most[zone] < 0) {
                least[zone] = left / open;
                most[zone] = left / open + (left % open > 0 ? 1 : 0);
            }
        }
    }

    int least(int zone) {
        return least[zone];
    }

    int most(int zone) {
        return most[zone];
    }

    /** Returns the number of replicas that a zone has too many or too few. */
    int excess(int zone, int replicas) {
        return Math.max(0, replicas - most[zone]) + Math.max(0, least[zone] - replicas);
    }
}
