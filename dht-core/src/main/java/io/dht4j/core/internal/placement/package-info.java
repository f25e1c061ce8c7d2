/** Placement: the nodes that each partition prefers, the bound on a node's load, and sets of partitions. */
@NullMarked
package io.dht4j.core.internal.placement;

import org.jspecify.annotations.NullMarked;
