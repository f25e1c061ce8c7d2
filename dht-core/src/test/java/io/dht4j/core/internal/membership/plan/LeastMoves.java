package io.dht4j.core.internal.membership.plan;

import io.dht4j.core.internal.membership.state.ClusterState;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Computes by a flow of least cost how many moves the targets of a state need at least. Each partition sends a unit for
 * each of its slots, through the zones to the members and on to the sink. A unit that reaches a member which has no
 * slot of the partition yet costs one. Exact, and slow: for tests of small clusters.
 */
final class LeastMoves {

    private static final long REQUIRED = -1_000_000;

    private int[] head = new int[0];
    private int[] next = new int[16];
    private int[] to = new int[16];
    private int[] room = new int[16];
    private long[] cost = new long[16];
    private int edges;

    static int of(ClusterState state, LoadTargets targets) {
        return new LeastMoves().moves(new TargetTable(state, targets), targets);
    }

    private int moves(TargetTable table, LoadTargets targets) {
        int partitions = table.partitions();
        int zones = targets.zoneCount();
        int source = 0;
        int firstZone = 1 + partitions;
        int firstMember = firstZone + partitions * zones;
        int sink = firstMember + Arrays.stream(targets.takers()).max().orElseThrow() + 1;
        head = new int[sink + 1];
        Arrays.fill(head, -1);
        for (int partition = 0; partition < partitions; partition++) {
            connect(source, 1 + partition, table.width(), 0);
            for (int zone = 0; zone < zones; zone++) {
                int least = targets.spread().least(zone);
                connect(1 + partition, firstZone + partition * zones + zone, least, REQUIRED);
                connect(
                        1 + partition,
                        firstZone + partition * zones + zone,
                        targets.spread().most(zone) - least,
                        0);
            }
            for (int member : targets.takers()) {
                int zone = firstZone + partition * zones + targets.zone(member);
                connect(zone, firstMember + member, 1, table.slotOf(partition, member) >= 0 ? 0 : 1);
            }
        }
        for (int member : targets.takers()) {
            int least = table.isUnderfull(member) ? targets.filled(member) : targets.least(member);
            connect(firstMember + member, sink, least, REQUIRED);
            connect(firstMember + member, sink, targets.most(member) - least, 0);
        }
        int units = partitions * table.width();
        for (int unit = 0; unit < units; unit++) {
            if (!augment(source, sink)) {
                throw new IllegalStateException("no table meets the targets");
            }
        }
        int moves = 0;
        for (int edge = 0; edge < edges; edge += 2) {
            moves += cost[edge] == 1 && room[edge] == 0 ? 1 : 0;
        }
        return moves;
    }

    private void connect(int from, int target, int capacity, long price) {
        if (capacity <= 0) {
            return;
        }
        add(from, target, capacity, price);
        add(target, from, 0, -price);
    }

    private void add(int from, int target, int capacity, long price) {
        if (edges == to.length) {
            next = Arrays.copyOf(next, 2 * edges);
            to = Arrays.copyOf(to, 2 * edges);
            room = Arrays.copyOf(room, 2 * edges);
            cost = Arrays.copyOf(cost, 2 * edges);
        }
        to[edges] = target;
        room[edges] = capacity;
        cost[edges] = price;
        next[edges] = head[from];
        head[from] = edges++;
    }

    /** Sends one unit along the cheapest path. */
    private boolean augment(int source, int sink) {
        long[] distance = new long[head.length];
        int[] via = new int[head.length];
        boolean[] queued = new boolean[head.length];
        Arrays.fill(distance, Long.MAX_VALUE);
        ArrayDeque<Integer> queue = new ArrayDeque<>();
        distance[source] = 0;
        queue.add(source);
        while (!queue.isEmpty()) {
            int at = queue.poll();
            queued[at] = false;
            for (int edge = head[at]; edge >= 0; edge = next[edge]) {
                if (room[edge] > 0 && distance[at] + cost[edge] < distance[to[edge]]) {
                    distance[to[edge]] = distance[at] + cost[edge];
                    via[to[edge]] = edge;
                    if (!queued[to[edge]]) {
                        queued[to[edge]] = true;
                        queue.add(to[edge]);
                    }
                }
            }
        }
        if (distance[sink] == Long.MAX_VALUE) {
            return false;
        }
        for (int at = sink; at != source; at = to[via[at] ^ 1]) {
            room[via[at]]--;
            room[via[at] ^ 1]++;
        }
        return true;
    }
}
