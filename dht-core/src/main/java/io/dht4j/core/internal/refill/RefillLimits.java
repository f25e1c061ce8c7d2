package io.dht4j.core.internal.refill;

import io.dht4j.NodeId;
import java.util.Set;

/**
 * The numbers that a refill runs by; the builder has checked them.
 *
 * @param replicas how many replicas a key has: of each partition, all of them but this node are read
 * @param without nodes that are not read, because what they held is lost as well, or given up
 * @param bytesPerSecond how much is brought from a node at most
 */
public record RefillLimits(int replicas, Set<NodeId> without, long bytesPerSecond) {}
