package io.dht4j.core.internal.view;

import io.dht4j.Node;
import java.util.List;
import java.util.Optional;

/** The replicas of each partition in one {@link ClusterView}. Immutable; safe for use by any number of threads. */
sealed interface RowTable permits FixedRows, AgreedRows {

    /** Returns the number of partitions, a power of two. */
    int partitions();

    /** Returns the number of replicas of calls without a policy, in the partition with the fewest. */
    int narrowest();

    /** Returns the number of replicas of calls without a policy, in the partition with the most. */
    int widest();

    /** Returns the largest number of replicas in a policy that is valid for any key. */
    int maxReplicas();

    /** Returns the number of replicas of a partition for calls without a policy. */
    int width(int partition);

    /** Returns the nodes that receive the writes of a partition under any policy. */
    List<Node> nodes(int partition);

    /** Returns the nodes that receive the writes of the first slots of a partition, in the order of the slots. */
    List<Node> nodes(int partition, int from);

    /** Returns all slots of a partition in order. */
    List<ReplicaSlot> slots(int partition);

    /** Returns the first slots of a partition in order. */
    List<ReplicaSlot> slots(int partition, int from);

    /** Returns whether any slot moves. */
    boolean isMoving();

    /** Returns the slot of a partition that moves, if one does. */
    Optional<ReplicaSlot> moving(int partition);

    /** Returns the slot of a partition that moves, if it is one of the first slots. */
    Optional<ReplicaSlot> moving(int partition, int from);

    /** Returns the version of a row; {@link ClusterView#NO_VERSION} in a static cluster. */
    long version(int partition);

    /** Returns the highest version of a row; {@link ClusterView#NO_VERSION} in a static cluster. */
    long newestVersion();
}
