package io.dht4j.core.internal.placement;

import java.util.Arrays;

/**
 * Bounded loads over any strategy's preferences, after Mirrokni, Thorup and Zadimoghaddam ("Consistent Hashing with
 * Bounded Loads", 2018): a full node passes partitions on. In the paper balls arrive one by one and bins stay. Here the
 * partitions are fixed and have replicas in order. A node's load counts at every depth: as first replica, as one of the
 * first two, and so on. A "column" below is such a depth, from 0.
 *
 * <p>The nodes join one after the other, in the topology's order. Each join changes only what is necessary:
 *
 * <ol>
 *   <li>A partition that prefers the new node to one in its row inserts it, and the node that the strategy replaces
 *       leaves. If the new node is full at that depth it is inserted further back. No other node's load grows.
 *   <li>The limits of the other nodes have fallen slightly. A node that exceeds its {@linkplain LoadLimits soft limit}
 *       at some depth is swapped with a node behind it in the same row that has room. The next one is preferred, since
 *       the set of the row's replicas then stays the same at every other depth.
 * </ol>
 *
 * <p>So a join moves its own share and the excess of a few nodes, without chains. In exchange, the result depends on
 * the order of the nodes: a join in the middle, or the removal of another node than the last, moves more.
 *
 * <p>Soft limits are exceeded by a few partitions where no node in the row has room. Where a node then exceeds its hard
 * limit too, a breadth-first search finds a chain of swaps that ends at a node with room. If there is none, the node
 * stays over its limit: the depths in front are settled, and may leave no way. In tests this occurs only with fewer
 * partitions than nodes, and with very unequal weights from the fourth replica on.
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
     * Creates loads without nodes.
     *
     * @param nodes the number of nodes that will join
     * @param partitions a power of two
     * @param depth the length of a row
     * @param limits the limits, for as many columns as are bounded
     */
    BoundedLoads(int nodes, int partitions, int depth, LoadLimits limits) {
        this.partitions = partitions;
        this.depth = depth;
        this.columns = limits.columns();
        this.rows = new int[partitions * depth];
        this.loads = new int[columns][nodes];
        this.limits = limits;
    }

    /** Returns the current rows, one after the other. */
    int[] rows() {
        return rows;
    }

    /** Adds the next node. */
    void join(int node, Preferences preferences) {
        joining = node;
        openFrom = 0;
        limits.update(node + 1);
        preferences.join(node, this);
        // A column that holds all nodes cannot overload one.
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
            // The replaced node may be at another position than in the strategy's row. If it is in front of the
            // insertion, the last node leaves instead: no node may move forward, since that would raise its load.
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

    /** Moves nodes over their soft limit at a depth back, in rows where a node behind has room. */
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

    /** Moves nodes over their hard limit at a depth back, through chains of swaps. */
    private void enforce(int column) {
        for (int node = 0; node <= joining; node++) {
            while (loads[column][node] > limits.hard(column, node) && passOn(node, column)) {
                // Each pass moves one partition.
            }
        }
    }

    /**
     * Finds the shortest chain of swaps that ends at a node with room, and executes it. Within the chain every node
     * gives up one place at this depth and takes one.
     */
    private boolean passOn(int from, int column) {
        int nodes = joining + 1;
        int length = Math.min(nodes, depth);
        // The partitions of each node at this column, as linked lists.
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
