package io.dht4j.core.internal.replica;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.IncomingReplicas;
import io.dht4j.core.internal.view.IncomingReplicas.Access;
import io.dht4j.core.internal.view.Views;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests with another table than this node's: the highest row version of their partitions must be equal here,
 * and this node must replicate all of them. Costs one volatile read in a static cluster, whose rows have no versions.
 * Does not block; safe for use by any number of threads.
 *
 * <p>A check is valid only until the next view is installed: writes are checked with the lock of {@link Views} held,
 * reads before and after.
 */
public final class RowGuard {

    private final Views views;
    private final IncomingReplicas incoming;

    /**
     * Creates a guard.
     *
     * @param views the views of this node
     * @param incoming the partitions that this node takes over
     */
    public RowGuard(Views views, IncomingReplicas incoming) {
        this.views = views;
        this.incoming = incoming;
    }

    /** Returns the number of partitions. */
    int partitions() {
        return views.current().partitions();
    }

    /** Returns the partition of a key. */
    int partitionOf(Key key) {
        return views.current().partitionOf(key);
    }

    /** Returns the partitions that this node takes over, in which it may not know the newest versions. */
    PartitionSet uncertain() {
        return views.current().incoming();
    }

    private static boolean isUnfenced(ClusterView view, long version) {
        return version == ClusterView.NO_VERSION && !view.hasRowVersions();
    }

    /** Returns the refusal of a write, or null if there is none. */
    @Nullable
    Reply refusal(List<Entry> entries, long version) {
        ClusterView view = views.current();
        if (isUnfenced(view, version)) {
            return null;
        }
        Found found = new Found(view);
        for (int i = 0; i < entries.size(); i++) {
            found.add(view.partitionOf(entries.get(i).key()), Access.WRITE);
        }
        return found.refusal(version);
    }

    /** Returns the refusal of a request about a register, or null if there is none. Fixed lists have no registers. */
    @Nullable
    Reply refusalOfRegister(Key key, long version) {
        ClusterView view = views.current();
        if (!view.hasRowVersions()) {
            return new Reply.Failed(ErrorCode.BAD_REQUEST, "atomic operations need a cluster that agrees on its nodes");
        }
        Found found = new Found(view);
        found.add(view.partitionOf(key), Access.WRITE);
        return found.refusal(version);
    }

    /** Returns the refusal of a read of keys, or null if there is none. */
    @Nullable
    Reply refusalOfKeys(List<Request.Query> queries, long version) {
        return refusalOfKeys(queries, version, Access.READ);
    }

    private @Nullable Reply refusalOfKeys(List<Request.Query> queries, long version, @Nullable Access access) {
        ClusterView view = views.current();
        if (isUnfenced(view, version)) {
            return null;
        }
        Found found = new Found(view);
        for (int i = 0; i < queries.size(); i++) {
            found.add(view.partitionOf(queries.get(i).key()), access);
        }
        return found.refusal(version);
    }

    /**
     * Returns the refusal of a read of a range, or null if there is none; see below. In an agreed cluster it names its
     * partitions, since a store may have leftovers of others.
     */
    @Nullable
    Reply refusalOfRange(PartitionSet partitions, long version) {
        return partitions.isEmpty() && views.current().hasRowVersions()
                ? new Reply.Failed(ErrorCode.BAD_REQUEST, "a page of an agreed cluster names its partitions")
                : refusal(partitions, version, Access.READ);
    }

    /**
     * Returns the refusal of a request that concerns some partitions, or null if there is none. An empty set stands for
     * all partitions; this node need not replicate them.
     */
    @Nullable
    Reply refusal(PartitionSet partitions, long version) {
        return refusal(partitions, version, null);
    }

    private @Nullable Reply refusal(PartitionSet partitions, long version, @Nullable Access access) {
        ClusterView view = views.current();
        if (isUnfenced(view, version)) {
            return null;
        }
        Found found = new Found(view);
        if (partitions.isEmpty()) {
            found.highest = view.rowVersion(partitions);
        } else if (partitions.bound() <= view.partitions()) {
            partitions.forEach(partition -> found.add(partition, access));
        } else {
            return new Reply.Failed(
                    ErrorCode.BAD_REQUEST,
                    "a partition is 0 to " + (view.partitions() - 1) + ", not " + (partitions.bound() - 1));
        }
        return found.refusal(version);
    }

    /** Returns the partitions that this node has completely in its table; empty, for all, in a static cluster. */
    PartitionSet held() {
        return views.current().held();
    }

    /** Returns the refusal of a request of repair, or null if there is none. */
    @Nullable
    Reply refusal(RepairRequest request, long version) {
        if (isUnfenced(views.current(), version)) {
            return null;
        }
        return request instanceof RepairRequest.Entries entries
                ? refusalOfKeys(entries.queries(), version, null)
                : refusal(request.partitionsNamed(), version);
    }

    /** The state of a request's partitions in this node's view. */
    private final class Found {

        private static final int NONE = -1;

        private final ClusterView view;
        private long highest = ClusterView.NO_VERSION;
        private int foreign = NONE;
        private int closed = NONE;

        Found(ClusterView view) {
            this.view = view;
        }

        /** Adds a partition with the kind of access; null for access that is never refused. */
        void add(int partition, @Nullable Access access) {
            highest = Math.max(highest, view.rowVersion(partition));
            if (!view.owns(partition)) {
                foreign = partition;
            } else if (access != null && incoming.refuses(view, partition, access)) {
                closed = partition;
            }
        }

        private String difference(long version) {
            return "its rows are of epoch " + text(highest) + ", those of the request of " + text(version);
        }

        private static String text(long version) {
            return version == ClusterView.NO_VERSION ? "none" : Epoch.text(version);
        }

        @Nullable
        Reply refusal(long version) {
            if (version < highest) {
                return new Reply.Failed(ErrorCode.STALE_TOPOLOGY, difference(version));
            }
            if (version > highest) {
                String obstacle = views.obstacle();
                return new Reply.Failed(
                        ErrorCode.TOPOLOGY_BEHIND,
                        difference(version) + (obstacle.isEmpty() ? "" : ", which it cannot install: " + obstacle));
            }
            if (foreign != NONE) {
                return new Reply.Failed(ErrorCode.STALE_TOPOLOGY, "it is no replica of partition " + foreign);
            }
            return closed == NONE
                    ? null
                    : new Reply.Failed(
                            ErrorCode.REPLICA_REFILLING,
                            "it takes over partition " + closed + " and has not copied it yet: try again later");
        }
    }
}
