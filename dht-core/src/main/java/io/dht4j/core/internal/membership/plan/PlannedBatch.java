package io.dht4j.core.internal.membership.plan;

import io.dht4j.core.internal.placement.PartitionSet;

/**
 * Slots to move from one member to another.
 *
 * @param from the member that owns a slot of each partition
 * @param to the member that takes them over
 * @param partitions at least one
 */
public record PlannedBatch(int from, int to, PartitionSet partitions) {}
