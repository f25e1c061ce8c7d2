package io.dht4j;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The nodes of a cluster, as they change while it serves. Safe for use by any number of threads.
 *
 * <p>No method blocks. Stages complete on any thread, within a minute, or by the deadline of a remote call. Failures
 * are {@link DhtException}s: {@link ErrorCode#BAD_REQUEST} if the agreed state refuses a change, with a message that
 * says what to do; {@link ErrorCode#NOT_SENT} if no leader of the metadata was found in time, and nothing has changed;
 * {@link ErrorCode#INTERNAL} if the outcome is unknown. Each change may be repeated: the second one is refused, or
 * changes nothing.
 *
 * <p>In a static cluster, whose nodes are fixed by its configuration, all stages fail with
 * {@link ErrorCode#BAD_REQUEST}, and listeners are never called.
 */
public interface ClusterMembership {

    /**
     * Returns the nodes, the moves under way and the metadata, as this node knows them. Asks every node which state it
     * has installed, and waits for the answers at most 2 seconds.
     *
     * @return a stage that completes with the status at one moment
     */
    CompletionStage<MembershipStatus> status();

    /**
     * Returns what a rebalance would move now, without the moves that are under way.
     *
     * @return a stage that completes with the plan
     */
    CompletionStage<RebalancePlan> plan();

    /**
     * Makes a change. A change is agreed when the stage completes; what follows from it, such as moves of partitions,
     * is seen in the {@linkplain #status() status}.
     *
     * @param change the change
     * @return a stage that completes with the epoch of the change, which this node has installed
     */
    CompletionStage<Long> change(MembershipChange change);

    /**
     * Reports changes from now on. Events come one after the other, in the order of the changes; those that begin and
     * end between two installed states are left out. A remote client notices changes when it asks for the status, which
     * it does every ten seconds while it has a listener.
     *
     * @param listener receives the events; must not block. What it throws is logged and does no harm
     * @return ends the reports
     */
    Subscription listen(Consumer<MembershipEvent> listener);

    /**
     * Returns whether this node gave all its partitions and was removed, as an operator wished. It refuses all calls
     * then, and {@link Cluster#failure} completes afterwards although nothing is wrong. A node that was declared dead
     * is not meant.
     *
     * @return true from then on; always false for a remote client
     */
    default boolean isRemoved() {
        return false;
    }

    /** The reports to a listener. */
    interface Subscription extends AutoCloseable {

        /** Ends the reports; an event that is being reported may still come. Does not block. */
        @Override
        void close();
    }

    /**
     * Allows a node to join, or lets a leaving one stay.
     *
     * @param node its name
     * @return as {@link #change}
     */
    default CompletionStage<Long> add(NodeId node) {
        return change(new MembershipChange.Add(node));
    }

    /**
     * Begins to empty a node, which is removed when it owns no partition any more; or removes one that has not joined,
     * or is dead and owns nothing. Refused if the other nodes could not hold its partitions.
     *
     * @param node its name
     * @return as {@link #change}
     */
    default CompletionStage<Long> remove(NodeId node) {
        return change(new MembershipChange.Remove(node));
    }

    /**
     * Declares that a node never returns, so that a node of the same name with an empty data directory may take its
     * place. Refused while the node answers this node, and until it has not answered the leader of the metadata for 30
     * seconds.
     *
     * @param node its name
     * @return as {@link #change}
     */
    default CompletionStage<Long> replace(NodeId node) {
        return change(new MembershipChange.Replace(node, false));
    }
}
