/** The nodes of the cluster and the replicas of each partition, as known to this node, and their changes. */
@NullMarked
package io.dht4j.core.internal.membership;

import org.jspecify.annotations.NullMarked;
