/** Placement: in which order a partition prefers nodes, the bound on a node's load, and sets of partitions. */
@NullMarked
package io.dht4j.core.internal.placement;

import org.jspecify.annotations.NullMarked;
