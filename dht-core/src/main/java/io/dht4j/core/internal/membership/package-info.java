/** The nodes of the cluster and the replicas of each partition, as this node knows them, and how that changes. */
@NullMarked
package io.dht4j.core.internal.membership;

import org.jspecify.annotations.NullMarked;
