package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.Key;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.view.ClusterView;
import java.util.Optional;

/**
 * The policy of a call: the one of its options, or by default the majority of the replicas of each partition.
 * Partitions have different numbers of replicas while the replication factor is raised. So each attempt uses the policy
 * of its own view. Immutable.
 */
public final class CallPolicy {

    private static final CallPolicy MAJORITY = new CallPolicy(Optional.empty());

    private final Optional<ReplicationPolicy> explicit;

    private CallPolicy(Optional<ReplicationPolicy> explicit) {
        this.explicit = explicit;
    }

    /**
     * Returns the policy of a call.
     *
     * @param options the policy of its options; empty for the default
     * @return the policy
     */
    public static CallPolicy of(Optional<ReplicationPolicy> options) {
        return options.isEmpty() ? MAJORITY : new CallPolicy(options);
    }

    /**
     * Returns the policy for a key.
     *
     * @param view the view of the attempt
     * @param key any key
     * @return the policy of the options, or the majority of the key's replicas
     */
    public ReplicationPolicy in(ClusterView view, Key key) {
        return explicit.isPresent() ? explicit.get() : view.majority(key);
    }

    /**
     * Returns the policy for a partition.
     *
     * @param view the view of the attempt
     * @param partition its number
     * @return the policy of the options, or the majority of the partition's replicas
     */
    public ReplicationPolicy in(ClusterView view, int partition) {
        return explicit.isPresent() ? explicit.get() : view.majority(partition);
    }

    /**
     * Returns whether any two calls of it have a replica in common.
     *
     * @return true if {@code 2 * ack > from}, as for each majority
     */
    public boolean isMajority() {
        return explicit.isEmpty() || 2 * explicit.get().ack() > explicit.get().from();
    }

    /** Returns {@code ack/from}, or {@code majority}. */
    @Override
    public String toString() {
        return explicit.map(ReplicationPolicy::toString).orElse("majority");
    }
}
