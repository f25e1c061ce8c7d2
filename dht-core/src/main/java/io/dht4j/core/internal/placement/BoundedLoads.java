package io.dht4j.core.internal.placement;

import java.util.Arrays;

/**
 * Bounded loads over any strategy's preferences, after the idea of Mirrokni, Thorup and Zadimoghaddam ("Consistent
 * Hashing with Bounded Loads", 2018): a node that is full passes partitions on. They let balls come one by one and bins
 * stay; here the partitions are fixed, have replicas in order, and a node's load counts at every depth: as first
 * replica, as one of the first two, and so on (a "column" below is such a depth, from 0).
 *
 * <p>The nodes join one after the other, in the topology's order, and each join changes only what it must:
 *
 * <ol>
 *   <li>A partition that prefers the new node to one in its row puts it there, and the one that the strategy replaces
 *       leaves. If the new node is full at that depth it comes in further back. Nobody else's load grows.
 *   <li>The limits of the others have fallen a little. Where a node holds more than its {@linkplain LoadLimits soft
 *       limit} at some depth, it changes places with a node that stands behind it in the same row and has room: the
 *       next one, if possible, which leaves the set of the row's replicas as it was at every other depth.
 * </ol>
 *
 * So a join moves its own share and the excess of a few nodes, nothing in a chain. What is given up is that the result
 * depends on the order of the nodes: a join in the middle, or the leaving of another node than the last, moves more.
 *
 * <p>Soft limits are missed by a few partitions where nobody in the row has room. Where that takes a node over its hard
 * limit too, a chain of swaps is searched, breadth first, that ends at a node with room. If there is none, the node
 * stays over its limit as the last resort: the depths in front are settled, and may not leave a way. Tests have seen
 * this only with fewer partitions than nodes, and with very unequal weights from the fourth replica on.
 */
final class BoundedLoads implements Preferences.Arrivals {

    private final int partitions;
    private final int depth;
    private final int columns;
    private final int[] rows;
    private final int[][] loads;
    private final LoadLimits limits;
    private int joining;
    private int openFrom;

    /**
     * No nodes yet.
     *
     * @param nodes how many will join
     * @param partitions a power of two
     * @param depth the length of a row
     * @param limits the limits, for as many columns as are to be bounded
     */
    BoundedLoads(int nodes, int partitions, int depth, LoadLimits limits) {
        this.partitions = partitions;
        this.depth = depth;
        this.columns = limits.columns();
        this.rows = new int[partitions * depth];
        this.loads = new int[columns][nodes];
        this.limits = limits;
    }

    /** The rows as they are now, one behind the other. */
    int[] rows() {
        return rows;
    }

    /** Takes the next node in. */
    void join(int node, Preferences preferences) {
        joining = node;
        openFrom = 0;
        limits.update(node + 1);
        preferences.join(node, this);
        // Where the column holds all nodes, nobody can have too much.
        for (int column = 0; column < Math.min(columns, node); column++) {
            ease(column);
            enforce(column);
        }
    }

    @Override
    public void arrive(int partition, int position, int replaced) {
        int start = partition * depth;
        boolean grows = joining < depth;
        int last = grows ? joining : depth - 1;
        int at = Math.min(Math.max(position, openFrom), last);
        if (!grows) {
            // The replaced node may stand elsewhere than the strategy had it. If it stands further in front, then the
            // last
            // one goes: nobody must move forward, because that would raise its load.
            for (int i = at; i < depth; i++) {
                if (rows[start + i] == replaced) {
                    last = i;
                }
            }
        }
        int leaving = rows[start + last];
        System.arraycopy(rows, start + at, rows, start + at + 1, last - at);
        rows[start + at] = joining;
        for (int column = at; column < columns; column++) {
            int[] load = loads[column];
            if (++load[joining] >= limits.soft(column, joining)) {
                openFrom = Math.max(openFrom, column + 1);
            }
            if (column < last) {
                load[rows[start + column + 1]]--;
            } else if (!grows) {
                load[leaving]--;
            }
        }
    }

    /** Where a node is over its soft limit at this depth: moves it back in rows where a node behind it has room. */
    private void ease(int column) {
        int[] load = loads[column];
        int over = 0;
        for (int node = 0; node <= joining; node++) {
            over += Math.max(0, load[node] - limits.soft(column, node));
        }
        int length = Math.min(joining + 1, depth);
        for (int i = 0; i < partitions && over > 0; i++) {
            // An odd factor visits every partition, in a scattered order.
            int start = ((i * 0x9E3779B1) & (partitions - 1)) * depth;
            int node = rows[start + column];
            if (load[node] > limits.soft(column, node)) {
                for (int behind = column + 1; behind < length; behind++) {
                    if (hasRoom(rows[start + behind], column, behind, false)) {
                        swap(start, column, behind);
                        over--;
                        break;
                    }
                }
            }
        }
    }

    /** Where a node is over its hard limit at this depth: the same, but by way of others who change places in turn. */
    private void enforce(int column) {
        for (int node = 0; node <= joining; node++) {
            while (loads[column][node] > limits.hard(column, node) && passOn(node, column)) {
                // One less.
            }
        }
    }

    /**
     * Finds the shortest chain of swaps that ends at a node with room, and makes them. Within the chain every node
     * gives one place at this depth and takes one.
     */
    private boolean passOn(int from, int column) {
        int nodes = joining + 1;
        int length = Math.min(nodes, depth);
        // The partitions that have a node at this column, as a list per node.
        int[] head = new int[nodes];
        int[] next = new int[partitions];
        Arrays.fill(head, -1);
        for (int partition = partitions - 1; partition >= 0; partition--) {
            int node = rows[partition * depth + column];
            next[partition] = head[node];
            head[node] = partition;
        }
        int[] swapped = new int[nodes];
        Arrays.fill(swapped, -1);
        int[] queue = new int[nodes];
        int tail = 0;
        queue[tail++] = from;
        for (int i = 0; i < tail; i++) {
            for (int partition = head[queue[i]]; partition >= 0; partition = next[partition]) {
                int start = partition * depth;
                for (int behind = column + 1; behind < length; behind++) {
                    int to = rows[start + behind];
                    if (to == from || swapped[to] >= 0 || !hasRoom(to, column + 1, behind, true)) {
                        continue;
                    }
                    swapped[to] = start + behind;
                    if (loads[column][to] < limits.hard(column, to)) {
                        followBack(to, from, column, swapped);
                        return true;
                    }
                    queue[tail++] = to;
                }
            }
        }
        return false;
    }

    private void followBack(int end, int from, int column, int[] swapped) {
        int node = end;
        while (node != from) {
            int start = swapped[node] / depth * depth;
            int behind = swapped[node] - start;
            node = rows[start + column];
            swap(start, column, behind);
        }
    }

    private boolean hasRoom(int node, int from, int to, boolean hard) {
        for (int column = from; column < Math.min(to, columns); column++) {
            if (loads[column][node] >= (hard ? limits.hard(column, node) : limits.soft(column, node))) {
                return false;
            }
        }
        return true;
    }

    private void swap(int start, int front, int behind) {
        int node = rows[start + front];
        int other = rows[start + behind];
        rows[start + front] = other;
        rows[start + behind] = node;
        for (int column = front; column < Math.min(behind, columns); column++) {
            loads[column][node]--;
            loads[column][other]++;
        }
    }
}
