package io.dht4j.core.internal.membership.plan;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Balances loads by chains of moves: one member gives a slot to a second, which gives another slot to a third.
 * Breadth-first, so that a chain is as short as it can be. Not thread-safe.
 */
final class ChainSearch {

    /** The limit of planning, in steps of the table: the remaining loads are near their limits. */
    private static final long MOST_WORK = 5_000_000_000L;

    private static final int NONE = -1;

    private final TargetTable table;
    private final LoadTargets targets;
    /** By member: the place in the rows that the search moves to it, or {@link #NONE}. */
    private final int[] reachedBy;
    /** The places of each member in the rows, as linked lists. */
    private final int[] head;

    private final int[] next;

    ChainSearch(TargetTable table, LoadTargets targets) {
        this.table = table;
        this.targets = targets;
        int members = Arrays.stream(targets.takers()).max().orElse(0) + 1;
        this.reachedBy = new int[members];
        this.head = new int[members];
        this.next = new int[table.partitions() * table.width()];
    }

    void run() {
        for (int member : targets.takers()) {
            while (table.isOverfull(member) && work() && move(giver -> giver == member, table::hasRoom)) {
                // Each chain takes one slot away.
            }
            while (table.isUnderfull(member)
                    && work()
                    && move(giver -> table.load(giver) > targets.filled(giver), taker -> taker == member)) {
                // Each chain brings one slot.
            }
        }
    }

    private boolean work() {
        return table.work() < MOST_WORK;
    }

    /** Finds the shortest chain from a giver to a taker and executes it. Returns whether there is one. */
    private boolean move(IntPredicate givers, IntPredicate ends) {
        listPlaces();
        Arrays.fill(reachedBy, NONE);
        boolean[] seen = new boolean[reachedBy.length];
        int[] queue = new int[reachedBy.length];
        int tail = 0;
        for (int giver : targets.takers()) {
            if (givers.test(giver)) {
                seen[giver] = true;
                queue[tail++] = giver;
            }
        }
        for (int i = 0; i < tail; i++) {
            int giver = queue[i];
            for (int place = head[giver]; place != NONE; place = next[place]) {
                int partition = place / table.width();
                for (int taker : targets.takers()) {
                    if (seen[taker]
                            || table.slotOf(partition, taker) >= 0
                            || table.zoneChange(partition, giver, taker) > 0) {
                        continue;
                    }
                    seen[taker] = true;
                    reachedBy[taker] = place;
                    queue[tail++] = taker;
                    if (ends.test(taker)) {
                        return execute(taker);
                    }
                }
            }
        }
        return false;
    }

    private void listPlaces() {
        Arrays.fill(head, NONE);
        for (int place = next.length - 1; place >= 0; place--) {
            int owner = table.owner(place / table.width(), place % table.width());
            if (targets.takes(owner)) {
                next[place] = head[owner];
                head[owner] = place;
            }
        }
    }

    /** Moves from the end of the chain, so that no other load grows. */
    private boolean execute(int end) {
        int taker = end;
        boolean moved = false;
        while (reachedBy[taker] != NONE) {
            int partition = reachedBy[taker] / table.width();
            int slot = reachedBy[taker] % table.width();
            int giver = table.owner(partition, slot);
            // An earlier move of the chain may have changed the same row.
            if (table.slotOf(partition, taker) >= 0 || table.zoneChange(partition, giver, taker) > 0) {
                return moved;
            }
            table.move(partition, slot, taker);
            moved = true;
            taker = giver;
        }
        return moved;
    }
}
