package io.dht4j.core.internal.refill;

import io.dht4j.NodeId;
import java.util.Set;

/**
 * The limits of a refill; the builder has validated them.
 *
 * @param replicas the number of replicas of a key: each partition is read from all of them but this node
 * @param without nodes that are not read, because their content is lost too, or given up
 * @param bytesPerSecond the maximum rate at which entries are fetched from one node
 */
public record RefillLimits(int replicas, Set<NodeId> without, long bytesPerSecond) {}
