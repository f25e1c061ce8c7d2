/** The view of a node on the cluster at one epoch: the nodes, the replicas of each partition, and the moves. */
@NullMarked
package io.dht4j.core.internal.view;

import org.jspecify.annotations.NullMarked;
