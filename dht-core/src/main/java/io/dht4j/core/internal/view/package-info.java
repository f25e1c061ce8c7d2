/**
 * What a node knows of the cluster at one moment: its nodes, the replicas of each partition, and what moves. Stands
 * below everything that uses it.
 */
@NullMarked
package io.dht4j.core.internal.view;

import org.jspecify.annotations.NullMarked;
